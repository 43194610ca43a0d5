#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What users read has the field's terms (docs/glossary.md), and the tool that says so can fail.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)

"$python" "$root/tools/check_words" >"$work/out" 2>"$work/err"
report $? "tools/check_words"
printf 'It takes 2 solves a step.\n\n`swift` is code.\n\n```sh\nhurry\n```\n\nJoints are met within 1e-9.\n' >"$work/bad.md"
! "$python" "$root/tools/check_words" "$work/bad.md" >"$work/out" 2>"$work/err" && grep -q 'bad.md:1: "2 solves' "$work/err" &&
    grep -q 'bad.md:9: "Joints are met within"' "$work/err" && [ "$(wc -l <"$work/err")" -eq 2 ]
report $? "tools/check_words finds private words in prose, and leaves code alone"

finish
