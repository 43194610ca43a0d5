/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that hold unless the library itself is wrong. They are checked where AFFIX_ASSERT is on (debug and
 * sanitizer builds by default) and cost nothing elsewhere: the condition is then compiled but not evaluated, so it must
 * have no effect. What a caller can get wrong is answered with a status instead. */
#ifndef AFXI_BASE_ASSERT_H
#define AFXI_BASE_ASSERT_H

/** Writes place and statement to stderr and aborts the process: there is no state to go on from. */
_Noreturn void afxi_assert_failed(const char *condition, const char *file, int line);

/* AFXI_VALIDATE(call) is for what takes more than a condition: validate.c of a room, which asserts what it goes
 * through.
 */
#if defined(AFXI_ASSERTIONS)
#define AFXI_ASSERT(condition) ((condition) ? (void)0 : afxi_assert_failed(#condition, __FILE__, __LINE__))
#define AFXI_VALIDATE(call) (call)
#else
#define AFXI_ASSERT(condition) ((void)sizeof(!(condition)))
#define AFXI_VALIDATE(call) ((void)0)
#endif

#endif
