# SPDX-License-Identifier: Apache-2.0
# Helpers of the command-line tests: source it with the path to affix as $1. Each check prints "ok - ..." or
# "not ok - ..."; finish exits non-zero when one failed.

affix=$(realpath "${1:?usage: bash <test>.sh <path to affix>}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

# report <0 for fine> <title>: one line; the last command's output follows a failure.
report() {
    checks=$((checks + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
        return
    fi
    failures=$((failures + 1))
    echo "not ok - $2"
    [ -z "${command:-}" ] || echo "    command: $command (exit $code)"
    [ ! -s "$work/out" ] || head -n 5 "$work/out" | sed 's/^/    out: /'
    [ ! -s "$work/err" ] || head -n 5 "$work/err" | sed 's/^/    err: /'
}

# run <arguments...>: affix, with $work/out, $work/err and $code.
run() {
    command="affix $*"
    code=0
    "$affix" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# refuses <exit code> <pattern of stderr> <arguments...>: that code, that message, nothing on stdout.
refuses() {
    local want=$1 pattern=$2
    shift 2
    run "$@"
    [ "$code" -eq "$want" ] && grep -Eq -- "$pattern" "$work/err" && grep -q '^affix: ' "$work/err" && [ ! -s "$work/out" ]
    report $? "exit $want, \"$pattern\": affix $*"
}

# prints <pattern of stdout> <arguments...>: exit 0 and that text.
prints() {
    local pattern=$1
    shift
    run "$@"
    [ "$code" -eq 0 ] && grep -Eq -- "$pattern" "$work/out"
    report $? "prints \"$pattern\": affix $*"
}

# needs_python: sets $python; skips the whole test when there is none.
needs_python() {
    python=$(command -v /usr/bin/python3 || command -v python3) && return
    echo "SKIP: python3 is not there"
    exit 0
}

# json <python expression over d>: true for the JSON object in $work/out, which must be the only thing there.
json() {
    "$python" -c '
import json, sys
def refuse(text):
    raise ValueError(text + " is not JSON")
try:
    d = json.load(open(sys.argv[1]), parse_constant=refuse)
    fine = eval("(" + sys.argv[2] + ")")
except Exception as error:
    sys.exit("    %s: %s" % (type(error).__name__, error))
sys.exit(0 if fine else 1)' "$work/out" "$1"
}

# hash: the state_hash in $work/out.
hash() {
    sed -n 's/^ *"state_hash": "\([0-9a-f]*\)",*$/\1/p' "$work/out"
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ]
    exit $?
}

# small <case>: an argument for those whose default is very many bodies
small() {
    case $1 in
    chains) echo links=60 ;;
    beads) echo chains=6 ;;
    tree) echo links=150 ;;
    hub) echo arms=20 ;;
    ring) echo n=40 ;;
    falling-joints) echo pairs=12 ;;
    hagfish) echo joints=20 ;;
    pulley-huge) echo links=1500 ;;
    ragdolls) echo count=2 ;;
    cloak) echo rows=3 ;;
    bridge) echo deck=12 ;;
    umbrella) echo pieces=2 ;;
    card-house) echo levels=2 ;;
    wrecking-ball) echo columns=2 ;;
    rings) echo rings=3 ;;
    chain-net) echo k=2 ;;
    gears) echo gears=1 ;;
    tentacles) echo arms=3 ;;
    spiked-knots) echo knots=1 ;;
    esac
}
