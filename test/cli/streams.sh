#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# stdin and stdout as "-", -o in every command that writes, inputs that are never overwritten, colours.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1

# pipe <title> <pattern in out>: how the pipe before it ended, and what came out.
pipe() {
    [ "$code" -eq 0 ] && grep -Eq -- "$2" out
    report $? "$1"
}

# Scenes through pipes.
command="affix convert four-bar -o -"
"$affix" convert four-bar -o four-bar.json >/dev/null
"$affix" convert four-bar -o - >out 2>err
[ $? -eq 0 ] && cmp -s out four-bar.json && [ ! -s err ]
report $? "a scene on stdout, and nothing else"
code=0
"$affix" check - <four-bar.json >out 2>err || code=$?
pipe "a scene from stdin" '^stdin: fine$'
run run four-bar.json --steps 5 --json
want=$(hash)
command="affix run -"
"$affix" run - --steps 5 --json <four-bar.json >out 2>err
[ -n "$want" ] && [ "$(hash)" = "$want" ]
report $? "a run of stdin has the same bits"
echo '<robot name="r"><link name="base"/></robot>' >r.urdf
"$affix" check - <r.urdf >out 2>err
report $? "URDF from stdin"
echo '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>' | "$affix" convert - -o m.json >out 2>err
[ $? -eq 0 ] && grep -q '^m.json: 1 body, 0 joints$' out
report $? "MJCF from stdin"
echo '{"affix_scene": 1, "bodies": [' | "$affix" check - >out 2>err
[ $? -eq 3 ] && grep -q 'JSON syntax error' err
report $? "a mistake in stdin"

# Tables and traces on stdout.
command="affix run pendulum --csv -"
"$affix" run pendulum --steps 4 --csv table.csv --quiet
for option in "--csv -" "--csv=-" "-o -"; do
    # shellcheck disable=SC2086
    "$affix" run pendulum --steps 4 $option >out 2>err
    [ $? -eq 0 ] && cmp -s out table.csv && [ ! -s err ]
    report $? "a table on stdout, and nothing else: $option"
done
"$affix" plot - --what energy.total -o - <table.csv >out 2>err
[ $? -eq 0 ] && grep -q '^<svg' out
report $? "a plot of stdin"
"$affix" run pendulum --steps 4 --trace - 2>err | "$affix" explain - >out 2>>err
[ $? -eq 0 ] && grep -q '4 steps of 0.01 s' out
report $? "a trace through a pipe"
refuses 2 'stdout is for one of' run pendulum --csv - --json
refuses 2 'stdout is for one of' run pendulum --csv - --trace -
refuses 2 '--html cannot be written to stdout' run pendulum --html -
refuses 2 'cannot resume what went to stdout' run pendulum --csv - --snapshot s.snap
[ ! -e ./- ]
report $? "no file is called -"
if [ -w /dev/full ]; then
    "$affix" run pendulum --steps 4 --csv - >/dev/full 2>err
    [ $? -eq 1 ]
    report $? "a full stdout is a failure"
fi

# -o by the ending.
run run pendulum --steps 3 -o run.csv --quiet
[ "$code" -eq 0 ] && head -n 1 run.csv | grep -q '^time,'
report $? "-o run.csv is a table"
run run pendulum --steps 3 -o run.glb --quiet
[ "$code" -eq 0 ] && [ "$(head -c 4 run.glb)" = glTF ]
report $? "-o run.glb is an animation"
run run pendulum --steps 3 -o run.h5 --quiet
[ "$code" -eq 0 ] && run plot run.h5 -o run.svg && [ -s run.svg ]
report $? "-o run.h5 is a trajectory"

# Inputs stay.
ln four-bar.json same.json
for target in four-bar.json ./four-bar.json same.json; do
    refuses 2 'would be overwritten' convert four-bar.json -o "$target"
    refuses 2 'would be overwritten' run four-bar.json --steps 1 --csv "$target"
    refuses 2 'would be overwritten' run four-bar.json --steps 1 --trace "$target"
    refuses 2 'would be overwritten' run four-bar.json --steps 1 --snapshot "$target"
done
cp run.csv run2.svg
refuses 2 'would be overwritten' plot run2.svg -o run2.svg
"$affix" convert four-bar -o - | cmp -s - four-bar.json
report $? "and are as they were"

# Completion knows all options of all commands, and the cases with their parameters.
for shell in bash zsh fish; do
    "$affix" completion $shell >complete.$shell 2>err
    report $? "completion $shell"
    for name in run plot sweep video; do
        while read -r option; do
            grep -q -- "$option" complete.$shell || report 1 "$shell: $name --$option"
        done < <("$affix" $name --help | sed -n 's/^ *\(-o, \)*--\([a-z0-9-]*\).*/\2/p')
    done
done
complete_bash() {
    bash -c '. ./complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _affix; echo "${COMPREPLY[@]}"' - "$@"
}
command="bash completion"
[ "$(complete_bash affix ru)" = run ]
report $? "a command"
[ "$(complete_bash affix run t-h)" = t-handle ]
report $? "a case"
[ "$(complete_bash affix run t-handle om)" = omega= ]
report $? "a parameter"
[ "$(complete_bash "$affix" run "$root/examples/rope.json" l)" = "links= length= load= link=" ] &&
    [ "$(complete_bash "$affix" run "$root/examples/rope.json" lo)" = "load=" ] && [ -z "$(complete_bash "$affix" run four-bar.json x)" ]
report $? "a parameter of a scene file"
[ "$("$affix" completion --parameters t-handle | head -1)" = omega= ] && ! "$affix" completion --parameters no-such.json
report $? "the list that shells ask for"
[ "$(complete_bash affix run t-handle --integ)" = --integrator ]
report $? "an option"
[ "$(complete_bash affix help vi)" = "view video" ]
report $? "a command after help"
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n complete.$shell >out 2>err
        report $? "$shell reads it"
    fi
done

# Manual pages.
for name in "" run convert completion; do
    # shellcheck disable=SC2086
    "$affix" man $name >page.1 2>err
    [ $? -eq 0 ] && grep -q '^\.TH "AFFIX' page.1 && grep -q '^\.SH SYNOPSIS' page.1
    report $? "man page ${name:-of the program}"
    if command -v groff >/dev/null; then
        groff -man -Tascii -ww page.1 >out 2>err && [ ! -s err ]
        report $? "groff formats it without a warning"
    fi
done
grep -q -- '\\-\\-integrator' <("$affix" man run)
report $? "with the options"

# Colours: on a terminal, unless NO_COLOR is set.
cat >terminal.py <<'PY'
import os, pty, sys
with open("seen", "wb") as seen:
    def keep(fd):
        data = os.read(fd, 65536)
        seen.write(data)
        return data
    pty.spawn(sys.argv[1:], keep)
PY
command="affix run no-such-case, on a terminal"
TERM=xterm NO_COLOR='' "$python" terminal.py "$affix" run no-such-case >/dev/null </dev/null 2>err
grep -q "$(printf '\033')" seen && grep -q 'there is no such case' seen
report $? "errors are coloured on a terminal"
TERM=xterm NO_COLOR=1 "$python" terminal.py "$affix" run no-such-case >/dev/null </dev/null 2>err
! grep -q "$(printf '\033')" seen && grep -q 'there is no such case' seen
report $? "not with NO_COLOR"
TERM=dumb "$python" terminal.py "$affix" help >/dev/null </dev/null 2>err
! grep -q "$(printf '\033')" seen && grep -q Usage seen
report $? "and not on a dumb one"

finish
