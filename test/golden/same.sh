#!/usr/bin/env bash
# test/golden/same.sh PROGRAM: lanes and threads change no bit of the scenes made for goldens.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
steps=25

"$program" --made --steps $steps >"$folder/base"
if [ ! -s "$folder/base" ]; then
    echo "not ok - golden printed nothing"
    exit 1
fi
failed=0
for variant in "--lanes 2" "--lanes 4" "--threads 2" "--lanes 1 --threads 2"; do # the last one for both
    # shellcheck disable=SC2086
    "$program" --made --steps $steps $variant >"$folder/other" || true
    if [ "$variant" = "--lanes 4" ] && grep -q "this machine has no such lane count" "$folder/other"; then
        echo "ok - golden: this machine is refused four lanes"
    elif cmp -s "$folder/base" "$folder/other"; then
        echo "ok - golden: same hashes with $variant"
    else
        echo "not ok - golden: other hashes with $variant"
        diff "$folder/base" "$folder/other" | head -n 6
        failed=1
    fi
done
exit $failed
