/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/hand.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/pool.h"

#define BLOCK_SECONDS 0.05
#define BLOCK_MOST 4096u
#define BLOCK_PARTS 3u /* of what is open, a block for each worker takes at most one of so many parts */

static bool get_bit(const AfxiSweepHand *hand, uint64_t k) {
    return hand->done[k / 8] >> k % 8 & 1;
}

static void set_bit(AfxiSweepHand *hand, uint64_t k) {
    hand->done[k / 8] |= (unsigned char)(1u << k % 8);
}

static void note_best(AfxiSweepHand *hand, uint64_t run, double objective) {
    AfxiSweepProgress *progress = &hand->progress;
    bool better =
        isnan(progress->best) || objective < progress->best || (objective == progress->best && run < hand->best_run);
    if (!isnan(objective) && better) {
        progress->best = objective;
        hand->best_run = run;
    }
}

static AfxStatus resize_done(AfxiSweepHand *hand, uint64_t count) {
    uint64_t bytes = count / 8 + 1;
    if (bytes > hand->done_bytes) {
        unsigned char *done = realloc(hand->done, bytes);
        if (!done) {
            return AFX_E_MEMORY;
        }
        hand->done = done;
        hand->done_bytes = bytes;
    }
    memset(hand->done, 0, bytes);
    return AFX_OK;
}

static int by_run(const void *a, const void *b) {
    uint64_t x = ((const AfxiKnown *)a)->run, y = ((const AfxiKnown *)b)->run;
    return x < y ? -1 : x > y;
}

static AfxStatus stale(AfxError *out_error, uint64_t run) {
    return afxi_sweep_error(out_error, AFX_E_VERSION, NULL, "sweep", "take another folder, or the study as it was",
                            "the folder holds run %" PRIu64 " with other parameters than the study has now", run);
}

/* The points of a round, in the parameters' own units. */
static void point_of(const AfxiSweepHand *hand, uint64_t k, double *out_point) {
    if (hand->optimiser) {
        afxi_study_from_unit(hand->study, hand->optimiser->units + k * hand->optimiser->n, out_point);
    } else {
        afxi_study_point(hand->study, k, out_point);
    }
}

/* ---- what is known ---- */

static void note_entry(AfxiSweepHand *hand, const AfxiJournals *journals, const AfxiEntry *entry) {
    hand->progress.resumed++;
    hand->progress.done++;
    hand->progress.failed += entry->status != AFX_OK;
    if (hand->study->term_count) {
        note_best(hand, entry->run, afxi_entry_values(journals, entry)[journals->value_count - 1]);
    }
}

static AfxStatus know_design(AfxiSweepHand *hand, const AfxiJournals *journals, AfxError *out_error) {
    double *point = malloc(hand->study->vary_count * sizeof *point);
    AfxStatus status = point ? AFX_OK : afxi_sweep_memory(out_error);
    for (uint32_t k = 0; k < journals->count && status == AFX_OK; k++) {
        size_t offset = 0;
        for (const AfxiEntry *entry; status == AFX_OK && (entry = afxi_journal_next(&journals->maps[k], &offset));) {
            bool ours = afxi_study_point(hand->study, entry->run, point) == AFX_OK &&
                        afxi_study_id(hand->study, point) == entry->id;
            status = ours ? AFX_OK : stale(out_error, entry->run);
            if (ours && !get_bit(hand, entry->run)) {
                set_bit(hand, entry->run);
                hand->open--;
                note_entry(hand, journals, entry);
            }
        }
    }
    free(point);
    return status;
}

static AfxStatus know_optimiser(AfxiSweepHand *hand, const AfxiJournals *journals, AfxError *out_error) {
    uint32_t width = afxi_pool_result_width(hand->study);
    uint64_t count = 0, at = 0;
    for (uint32_t k = 0; k < journals->count; k++) {
        count += journals->maps[k].entries;
    }
    hand->known = calloc(count + 1, sizeof *hand->known);
    hand->known_numbers = calloc(count * width + 1, sizeof(double));
    if (!hand->known || !hand->known_numbers) {
        return afxi_sweep_memory(out_error);
    }
    for (uint32_t k = 0; k < journals->count; k++) {
        size_t offset = 0;
        for (const AfxiEntry *entry; (entry = afxi_journal_next(&journals->maps[k], &offset)); at++) {
            hand->known[at] = (AfxiKnown){entry->run, entry->id, hand->known_numbers + at * width};
            afxi_pool_result(hand->study, afxi_entry_values(journals, entry), hand->known[at].numbers);
            note_entry(hand, journals, entry);
        }
    }
    hand->known_count = count;
    qsort(hand->known, count, sizeof *hand->known, by_run);
    return AFX_OK;
}

/* ---- rounds of an optimiser ---- */

static AfxStatus begin_round(AfxiSweepHand *hand) {
    AfxiOptimiser *optimiser = hand->optimiser;
    hand->first += hand->count;
    hand->count = hand->open = afxi_optimiser_ask(optimiser);
    hand->next = 0;
    hand->over = hand->count == 0;
    return resize_done(hand, hand->count);
}

/* Fills in what an earlier start has done; a run of that number with other parameters belongs to another study. */
static AfxStatus use_known(AfxiSweepHand *hand, AfxError *out_error) {
    AfxiOptimiser *optimiser = hand->optimiser;
    double *point = malloc(hand->study->vary_count * sizeof *point);
    AfxStatus status = point ? AFX_OK : afxi_sweep_memory(out_error);
    for (uint64_t k = 0; k < hand->count && status == AFX_OK && hand->known_count; k++) {
        AfxiKnown wanted = {.run = hand->first + k};
        const AfxiKnown *known = bsearch(&wanted, hand->known, hand->known_count, sizeof *known, by_run);
        point_of(hand, k, point);
        if (known && known->id != afxi_study_id(hand->study, point)) {
            status = stale(out_error, known->run);
        } else if (known) {
            memcpy(optimiser->results + k * optimiser->width, known->numbers, optimiser->width * sizeof(double));
            set_bit(hand, k);
            hand->open--;
        }
    }
    free(point);
    return status;
}

/* Goes on to the next round while all runs of this one are done. */
static AfxStatus advance(AfxiSweepHand *hand, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    while (hand->open == 0 && !hand->over && status == AFX_OK) {
        if (!hand->optimiser) {
            hand->over = true;
            break;
        }
        if (hand->count) {
            afxi_optimiser_tell(hand->optimiser);
        }
        status = begin_round(hand) == AFX_OK ? use_known(hand, out_error) : afxi_sweep_memory(out_error);
    }
    return status;
}

/* ---- the face ---- */

AfxStatus afxi_hand_create(AfxiSweepHand *hand, const AfxiStudy *study, const AfxiJournals *journals,
                           AfxError *out_error) {
    *hand = (AfxiSweepHand){.study = study, .best_run = UINT64_MAX, .progress = {.best = NAN}};
    AfxStatus status = AFX_OK;
    if (study->optimiser.method == AFXI_METHOD_NONE) {
        hand->count = hand->open = hand->progress.total = study->run_count;
        status = resize_done(hand, hand->count) == AFX_OK ? know_design(hand, journals, out_error)
                                                          : afxi_sweep_memory(out_error);
    } else {
        status = afxi_optimiser_create(study, &hand->optimiser, out_error);
        status = status ? status : know_optimiser(hand, journals, out_error);
        hand->progress.total = status ? 0 : afxi_optimiser_most(hand->optimiser);
    }
    status = status ? status : advance(hand, out_error);
    if (status != AFX_OK) {
        afxi_hand_destroy(hand);
    }
    return status;
}

void afxi_hand_destroy(AfxiSweepHand *hand) {
    afxi_optimiser_destroy(hand->optimiser);
    free(hand->done);
    free(hand->known);
    free(hand->known_numbers);
    hand->optimiser = NULL;
    hand->done = NULL;
    hand->known = NULL;
    hand->known_numbers = NULL;
}

/* Runs that take about as long as a message is worth, and not so many that others have nothing at the end. */
static uint64_t block_size(const AfxiSweepHand *hand) {
    uint64_t fair = (hand->count - hand->next) / (BLOCK_PARTS * (hand->workers ? hand->workers : 1)) + 1;
    uint64_t wanted = hand->pace > 0 ? (uint64_t)(BLOCK_SECONDS / hand->pace) + 1 : 1;
    wanted = wanted < fair ? wanted : fair;
    return wanted < BLOCK_MOST ? wanted : BLOCK_MOST;
}

double afxi_hand_block_seconds(const AfxiSweepHand *hand) {
    return hand->pace * (double)block_size(hand);
}

AfxiSweepMessage *afxi_hand_next(AfxiSweepHand *hand, AfxStatus *out_status) {
    uint64_t size = block_size(hand), count = 0;
    *out_status = AFX_OK;
    while (hand->next < hand->count && get_bit(hand, hand->next)) {
        hand->next++;
    }
    if (hand->next == hand->count) {
        return NULL;
    }
    AfxiSweepMessage *block = afxi_sweep_message_create(AFXI_MESSAGE_BLOCK, size, hand->study->vary_count);
    if (!block) {
        *out_status = AFX_E_MEMORY;
        return NULL;
    }
    double *points = afxi_sweep_message_numbers(block); /* of `size` runs: they move down if there are fewer */
    for (; hand->next < hand->count && count < size; hand->next++) {
        if (!get_bit(hand, hand->next)) {
            afxi_sweep_message_runs(block)[count] = hand->first + hand->next;
            point_of(hand, hand->next, points + count * block->width);
            count++;
        }
    }
    block->count = count;
    memmove(afxi_sweep_message_numbers(block), points, count * block->width * sizeof *points);
    return block;
}

AfxStatus afxi_hand_done(AfxiSweepHand *hand, AfxiSweepMessage *done, AfxError *out_error) {
    for (uint64_t k = 0; k < done->count; k++) {
        uint64_t at = afxi_sweep_message_runs(done)[k] - hand->first;
        const double *numbers = afxi_sweep_message_numbers(done) + k * done->width;
        if (at >= hand->count || get_bit(hand, at)) {
            continue;
        }
        set_bit(hand, at);
        hand->open--;
        hand->progress.done++;
        if (done->width) {
            note_best(hand, hand->first + at, numbers[0]);
        }
        if (hand->optimiser) {
            memcpy(hand->optimiser->results + at * done->width, numbers, done->width * sizeof(double));
        }
    }
    hand->progress.failed += done->failed;
    hand->busy += done->seconds;
    double pace = done->count ? done->seconds / (double)done->count : 0;
    hand->pace = hand->pace > 0 ? 0.8 * hand->pace + 0.2 * pace : pace;
    return advance(hand, out_error);
}
