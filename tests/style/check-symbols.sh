#!/usr/bin/env bash
# check-symbols.sh ROOT LIBRARY... | --self-test
#
# What the built libraries export: names with the prefix ar_, and the one symbol that
# Open MPI's monitoring component looks for.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rules=("prefixed every exported symbol is named ar_...")
libraries=()

prefixed() {
    local library symbol symbols
    [ ${#libraries[@]} -gt 0 ] || echo 'no libraries were given'
    for library in "${libraries[@]}"; do
        symbols=$(nm --defined-only --extern-only --format=posix "$library" | awk 'NF > 1 { print $1 }')
        [ -n "$symbols" ] || echo "$(basename "$library"): exports nothing"
        while read -r symbol; do
            case $symbol in
            ar_* | mca_common_monitoring_record_pml) ;;
            __*) ;; # the compiler's and the sanitizers'
            *) echo "$(basename "$library"): $symbol lacks the prefix ar_" ;;
            esac
        done <<<"$symbols"
    done
}

# library NAME C: builds the library of a self-test.
library() {
    printf '%s\n' "$2" | cc -x c -c - -o "$work/$1.o"
    rm -f "$work/$1.a"
    ar rc "$work/$1.a" "$work/$1.o"
    libraries=("$work/$1.a")
}

self_test() {
    good_tree() {
        :
    }
    library good 'int ar_x, ar_broadcast_linear; static int y; int ar_f(void); int ar_f(void) { return y; }'
    must_pass prefixed README.md ''
    library bad 'int helper(void); int helper(void) { return 1; }'
    new_tree
    local found good=true
    found=$(cd "$tree" && prefixed)
    [ "$found" = 'bad.a: helper lacks the prefix ar_' ] || good=false
    verdict $good 'prefixed finds: helper'
}

if [ "${1-}" != --self-test ]; then
    for library in "${@:2}"; do
        libraries+=("$(realpath "$library")")
    done
fi
main "$@"
