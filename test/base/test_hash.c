/* SPDX-License-Identifier: Apache-2.0 */
/* The hash: everything that goes in shows, and doubles that differ little are spread. */
#include "base/hash.h"
#include "tests.h"

static int bit_count(uint64_t x) {
    int count = 0;
    for (; x; x &= x - 1) {
        count++;
    }
    return count;
}

static void every_bit_of_the_input_shows(void **state) {
    (void)state;
    uint64_t seed = 2;
    double changed = 0;
    int flips = 0;
    for (size_t size = 1; size <= 40; size++) {
        unsigned char bytes[40];
        for (size_t k = 0; k < size; k++) {
            bytes[k] = (unsigned char)random_bits(&seed);
        }
        uint64_t hash = afxi_hash(AFXI_HASH_START, bytes, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t other = afxi_hash(AFXI_HASH_START, bytes, size);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(hash != other);
            changed += bit_count(hash ^ other);
            flips++;
        }
        assert_true(hash == afxi_hash(AFXI_HASH_START, bytes, size));
    }
    assert_true(changed / flips > 28 && changed / flips < 36); /* half of the 64 */
}

static void the_size_shows(void **state) {
    (void)state;
    static const unsigned char zeros[64];
    uint64_t hash[65];
    for (size_t size = 0; size <= 64; size++) {
        hash[size] = afxi_hash(AFXI_HASH_START, zeros, size);
        for (size_t k = 0; k < size; k++) {
            assert_true(hash[k] != hash[size]);
        }
    }
    assert_true(hash[0] == afxi_hash(AFXI_HASH_START, NULL, 0));
}

static void the_start_and_the_order_show(void **state) {
    (void)state;
    double a = 1.5, b = 2.5;
    uint64_t ab = afxi_hash(afxi_hash(AFXI_HASH_START, &a, 8), &b, 8);
    uint64_t ba = afxi_hash(afxi_hash(AFXI_HASH_START, &b, 8), &a, 8);
    assert_true(ab != ba);
    assert_true(afxi_hash(0, &a, 8) != afxi_hash(1, &a, 8));
    double both[2] = {a, b}, swapped[2] = {b, a};
    assert_true(afxi_hash(AFXI_HASH_START, both, 16) != afxi_hash(AFXI_HASH_START, swapped, 16));
}

static void where_the_bytes_stand_does_not_show(void **state) {
    (void)state;
    unsigned char buffer[64];
    const char text[] = "twenty-nine bytes of any text";
    uint64_t hash = afxi_hash(AFXI_HASH_START, text, sizeof text);
    for (size_t place = 0; place < 16; place++) {
        memset(buffer, (int)place, sizeof buffer);
        memcpy(buffer + place, text, sizeof text);
        assert_true(afxi_hash(AFXI_HASH_START, buffer + place, sizeof text) == hash);
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Round numbers have many zero bits; both the low bits and the whole must still differ. */
static void round_doubles_are_spread(void **state) {
    (void)state;
    enum { COUNT = 1 << 16, SLOTS = 1 << 17 };
    static uint64_t hash[COUNT];
    static unsigned char load[SLOTS];
    static const double steps[] = {1, 0.5, 0.1, 1024, 1e-3};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        int most = 0;
        memset(load, 0, sizeof load);
        for (int k = 0; k < COUNT; k++) {
            double x = k * steps[s];
            hash[k] = afxi_hash(AFXI_HASH_START, &x, sizeof x);
            int own = ++load[hash[k] % SLOTS];
            most = own > most ? own : most;
        }
        assert_true(most <= 12); /* of a Poisson law with mean 1/2: 8 or so */
        qsort(hash, COUNT, sizeof *hash, compare);
        for (int k = 1; k < COUNT; k++) {
            assert_true(hash[k] != hash[k - 1]);
        }
    }
}

/* Made by Python 3.11, hash(b"..."), with PYTHONHASHSEED=0 and 42. */
static void the_keyed_hash_is_siphash_1_3(void **state) {
    (void)state;
    static const char *const texts[] = {"a", "wheel", "bodynam8", "twenty-nine bytes of any text"};
    static const AfxiHashKey keys[2] = {{{0, 0}}, {{0xdc504fd368cd90afull, 0xb920bb9ffe99e9c1ull}}};
    static const uint64_t want[2][4] = {
        {0x407448d2b89b1813ull, 0xd3028820ea014224ull, 0xd80273d3fbbf163eull, 0xf8442dae7e9dc46full},
        {0xfe4a47335692551eull, 0x92a133f48e5d51aeull, 0x1ff23c6d7e8f343eull, 0xe982806c44f7e866ull}};
    for (int key = 0; key < 2; key++) {
        for (int k = 0; k < 4; k++) {
            assert_true(afxi_hash_keyed(keys[key], texts[k], strlen(texts[k])) == want[key][k]);
        }
    }
}

static void keys_differ(void **state) {
    (void)state;
    AfxiHashKey keys[50] = {{{0, 0}}};
    for (int k = 0; k < 50; k++) {
        keys[k] = afxi_hash_key(keys + k);
        for (int j = 0; j < k; j++) {
            assert_true(keys[j].half[0] != keys[k].half[0] && keys[j].half[1] != keys[k].half[1]);
        }
    }
}

int run_hash_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keyed_hash_is_siphash_1_3), cmocka_unit_test(keys_differ),
        cmocka_unit_test(every_bit_of_the_input_shows),  cmocka_unit_test(the_size_shows),
        cmocka_unit_test(the_start_and_the_order_show),  cmocka_unit_test(where_the_bytes_stand_does_not_show),
        cmocka_unit_test(round_doubles_are_spread),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
