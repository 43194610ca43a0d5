/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that keep large cases small. */
#ifndef AFX_TEST_SUPPORT_SMALL_H
#define AFX_TEST_SUPPORT_SMALL_H

/** An argument for a case whose default is very many bodies; NULL for all others. */
const char *small_case(const char *name);

#endif
