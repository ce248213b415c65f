#!/usr/bin/env bash
# Shows that run.sh finds every kind of difference and rewrites what it should: with a fake program.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
nfailed=0

cat >"$work/fake" <<'END'
#!/bin/sh
case $1 in
bad) echo 'allround: no such thing' >&2; exit 2 ;;
crash) kill -SEGV $$ ;;
*) echo 'allround 0.1.0 on 2 cores'; echo "$#: $*"; echo '12 proved in 0.31 s' ;;
esac
END
chmod +x "$work/fake"

# new CMD STDOUT [STDERR [EXIT]]: a case in $work/case; what is empty or left out gets no file.
new() {
    rm -rf "$work/case"
    mkdir "$work/case"
    printf '%s\n' "$1" >"$work/case/cmd"
    [ -z "${2-}" ] || printf '%s\n' "$2" >"$work/case/stdout"
    [ -z "${3-}" ] || printf '%s\n' "$3" >"$work/case/stderr"
    [ -z "${4-}" ] || printf '%s\n' "$4" >"$work/case/exit"
}

# expect passes|fails WHAT
expect() {
    local got=passes
    number=$((number + 1))
    bash "$here/run.sh" "$work/fake" "$work/case" >"$work/said" 2>&1 || got=fails
    if [ $got = "$1" ]; then
        echo "ok $number - $2"
    else
        sed 's/^/# /' "$work/said"
        echo "not ok $number - $2: expected that it $1"
        nfailed=$((nfailed + 1))
    fi
}

new "a 'b c' \"\"" $'3: a b c \n12 proved in T s'
expect passes 'quoted arguments; environment line and time do not matter'
new 'x' $'allround 0.2 elsewhere\n1: x\n12 proved in 7.5 s'
expect passes 'another environment and another time'
new '' $'0: \n12 proved in T s'
expect passes 'no arguments'
new 'bad' '' 'allround: no such thing' 2
expect passes 'stderr and exit status'
new 'x' $'1: y\n12 proved in T s'
expect fails 'another word'
new 'x' $'1: x\n13 proved in T s'
expect fails 'another number'
new 'x' $'1: x\n12 proved in T s\nmore'
expect fails 'a line is missing'
new 'x' ''
expect fails 'stdout where none is expected'
new 'bad' '' '' 2
expect fails 'stderr where none is expected'
new 'bad' '' 'allround: no such thin' 2
expect fails 'another sentence'
new 'bad' '' 'allround: no such thing'
expect fails 'exit status 2 instead of 0'
new 'crash' ''
expect fails 'a crash'
new 'bad' 'old' 'old' 1
bash "$here/run.sh" --update "$work/fake" "$work/case" >/dev/null
expect passes 'rewritten: a failing command'
new 'x' 'old' 'old' 1
bash "$here/run.sh" --update "$work/fake" "$work/case" >/dev/null
expect passes 'rewritten: a good command'

echo "1..$number"
[ $nfailed = 0 ]
