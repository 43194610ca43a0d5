/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text whatever the locale. */
#ifndef AFXI_LOAD_POINT_H
#define AFXI_LOAD_POINT_H

/** Makes the decimal mark of a number that was printed a point, whatever the locale has. */
void afxi_decimal_point(char *text);

#endif
