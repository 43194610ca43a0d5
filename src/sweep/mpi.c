/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by MPI: a module of its own, loaded when `affix sweep` was started by mpirun. Sends are kept until they are
 * through; receiving looks whether something is there and never waits, since MPI would spin. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep.h"

#define TAG 1
#define BYTES_MOST ((size_t)1 << 30)

typedef struct Sent {
    MPI_Request request;
    struct Sent *next;
    /* the bytes follow */
} Sent;

typedef struct Mpi {
    Sent *sent;
    AfxiTransport transport;
} Mpi;

static void sweep_sent(Mpi *mpi) {
    for (Sent **at = &mpi->sent; *at;) {
        int done = 0;
        MPI_Test(&(*at)->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            Sent *old = *at;
            *at = old->next;
            free(old);
        } else {
            at = &(*at)->next;
        }
    }
}

static bool mpi_send(void *state, uint32_t to, const void *data, size_t size) {
    Mpi *mpi = state;
    Sent *sent = size <= BYTES_MOST ? malloc(sizeof *sent + size) : NULL;
    if (!sent) {
        return false;
    }
    sweep_sent(mpi);
    memcpy(sent + 1, data, size);
    MPI_Isend(sent + 1, (int)size, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD, &sent->request);
    sent->next = mpi->sent;
    mpi->sent = sent;
    return true;
}

static bool mpi_receive(void *state, uint32_t *out_from, void **out_data, size_t *out_size) {
    MPI_Status status;
    int there = 0, size = 0;
    sweep_sent(state);
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) {
        return false;
    }
    MPI_Get_count(&status, MPI_BYTE, &size);
    *out_data = malloc((size_t)size + 1);
    if (!*out_data) {
        return false; /* it stays where it is; perhaps there is memory later */
    }
    MPI_Recv(*out_data, size, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, &status);
    *out_from = (uint32_t)status.MPI_SOURCE;
    *out_size = (size_t)size;
    return true;
}

static void mpi_close(void *state) {
    Mpi *mpi = state;
    while (mpi->sent) {
        Sent *next = mpi->sent->next;
        MPI_Wait(&mpi->sent->request, MPI_STATUS_IGNORE);
        free(mpi->sent);
        mpi->sent = next;
    }
    free(mpi);
    MPI_Finalize();
}

/** What `affix sweep` looks for: starts MPI and gives the transport, or NULL when that fails. */
AFX_API const AfxiTransport *afxi_transport_open(void);

const AfxiTransport *afxi_transport_open(void) {
    int provided, rank, size;
    Mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        free(mpi);
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi->transport = (AfxiTransport){.state = mpi,
                                     .rank = (uint32_t)rank,
                                     .size = (uint32_t)size,
                                     .send = mpi_send,
                                     .receive = mpi_receive,
                                     .close = mpi_close};
    return &mpi->transport;
}
