#!/usr/bin/env bash
# run.sh [--update] ALLROUND [CASE...]
#
# Runs the golden cases (all folders beside this script, or those given) and prints TAP, one line a case.
# A case is a folder with
#   cmd     the arguments, one line, quoted as in the shell
#   stdout  what the program must print, byte for byte after tests/normalise.sed; the environment line is
#           left out
#   stderr  likewise, exactly; no file: nothing may be printed there
#   exit    the exit status; no file: 0
# The program runs at the top of the checkout, with nothing on its standard input. --update rewrites the
# files from what the program says now.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
update=false
if [ "${1-}" = --update ]; then
    update=true
    shift
fi
[ $# -ge 1 ] || { sed -n '2s/^# /usage: /p' "$0" >&2; exit 2; }
program=$(realpath "$1")
shift
cases=("$@")
if [ $# -eq 0 ]; then
    for file in "$here"/*/cmd; do
        [ -e "$file" ] && cases+=("${file%/cmd}")
    done
else
    for i in "${!cases[@]}"; do cases[i]=$(realpath "${cases[i]}"); done
fi
if [ ${#cases[@]} -eq 0 ]; then
    echo '1..0 # SKIP no golden cases'
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here/../.."

normalised() {
    sed -f tests/normalise.sed "$1" | sed '/^allround 0\. (this machine)$/d'
}

# Leaves stdout, stderr and exit of one case in $work.
run() {
    local status=0
    # xargs splits and unquotes the line; nothing in it is executed.
    local -a words
    mapfile -d '' -t words < <(xargs -a "$1/cmd" -r printf '%s\0')
    "$program" ${words[@]+"${words[@]}"} >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
    echo "$status" >"$work/exit"
}

# compare CASE FILE DEFAULT: a unified diff on mismatch. DEFAULT stands for a missing file.
compare() {
    if [ -e "$1/$2" ]; then cp "$1/$2" "$work/expected"; else printf '%s' "$3" >"$work/expected"; fi
    if [ "$2" = stdout ]; then
        normalised "$work/expected" >"$work/a"
        normalised "$work/stdout" >"$work/b"
    else
        cp "$work/expected" "$work/a"
        cp "$work/$2" "$work/b"
    fi
    diff -u --label "$2 (expected)" --label "$2 (got)" "$work/a" "$work/b" >"$work/diff" || sed 's/^/# /' "$work/diff"
    [ ! -s "$work/diff" ]
}

# What equals its default has no file.
rewrite() {
    normalised "$work/stdout" >"$1/stdout"
    if [ -s "$work/stderr" ]; then cp "$work/stderr" "$1/stderr"; else rm -f "$1/stderr"; fi
    if [ "$(cat "$work/exit")" != 0 ]; then cp "$work/exit" "$1/exit"; else rm -f "$1/exit"; fi
}

echo "1..${#cases[@]}"
number=0
failed=0
for case in "${cases[@]}"; do
    number=$((number + 1))
    name=$(basename "$case")
    run "$case"
    same=true
    compare "$case" exit $'0\n' || same=false
    compare "$case" stdout '' || same=false
    compare "$case" stderr '' || same=false
    if $same; then
        echo "ok $number - $name"
    elif $update; then
        rewrite "$case"
        echo "ok $number - $name (rewritten)"
    else
        echo "# if it should: scripts/update-goldens $name, then read the difference before you commit it"
        echo "not ok $number - $name: allround $(cat "$case/cmd")"
        failed=$((failed + 1))
    fi
done
[ "$failed" = 0 ]
