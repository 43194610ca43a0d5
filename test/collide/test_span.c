/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of coordinates: all lanes give what going through the numbers one by one gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests.h"

#include "collide/span.h"
#include "support/random.h"

enum { BODIES = 40 };

static void span_of_bodies(void **state) {
    (void)state;
    static double q[12 * BODIES], v[12 * BODIES];
    uint64_t seed = 3;
    for (uint32_t count = 1; count < BODIES; count += 6) {
        uint32_t body[BODIES];
        AfxiRange span[3];
        double dt = 0.01 * random_unit(&seed);
        for (int k = 0; k < 12 * BODIES; k++) {
            q[k] = 20 * random_unit(&seed) - 10;
            v[k] = 200 * random_unit(&seed) - 100;
        }
        for (uint32_t k = 0; k < count; k++) {
            body[k] = (7 * k + 3) % BODIES;
        }
        for (int e = 0; e < 12; e++) {
            AfxiRange *own = &span[0];
            own->lower[e] = HUGE_VAL;
            own->upper[e] = -HUGE_VAL;
            own->slow[e] = own->fast[e] = 0;
            for (uint32_t k = 0; k < count; k++) {
                double here = q[12 * body[k] + e], way = dt * v[12 * body[k] + e];
                own->lower[e] = fmin(own->lower[e], fmin(here, here + way));
                own->upper[e] = fmax(own->upper[e], fmax(here, here + way));
                own->slow[e] = fmin(own->slow[e], way);
                own->fast[e] = fmax(own->fast[e], way);
            }
        }
        afxi_span_kernel(0)(q, v, body, count, dt, &span[1]);
        afxi_span_kernel(1)(q, v, body, count, dt, &span[2]);
        for (int which = 1; which < 3; which++) {
            assert_memory_equal(span[0].lower, span[which].lower, sizeof span[0].lower);
            assert_memory_equal(span[0].upper, span[which].upper, sizeof span[0].upper);
            assert_memory_equal(span[0].slow + 9, span[which].slow + 9, 3 * sizeof(double));
            assert_memory_equal(span[0].fast + 9, span[which].fast + 9, 3 * sizeof(double));
        }
    }
}

int run_span_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(span_of_bodies)};
    return cmocka_run_group_tests_name("collide/span", tests, NULL, NULL);
}
