#!/usr/bin/env bash
# Files: what may stand where, and that lists and folders agree.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

max_lines=600
max_algorithm_lines=120

rules=(
    "top_level the top holds the given folders and files only"
    "length no source file has more than $max_lines lines"
    "algorithms algorithms.def, the algorithms' files and their descriptors agree"
    "short_algorithms an algorithm's file of more than $max_algorithm_lines lines says in its head why"
    "built every .c file is named in its layer's meson.build"
    "scripts every shell script parses"
)

top_level() {
    local name
    for name in *; do
        case $name in
        collectives | topologies | sim | bench | scripts | tests) [ -d "$name" ] || echo "$name: must be a folder" ;;
        meson.build | meson_options.txt | README.md | LICENSE | build*) ;;
        *) echo "$name: does not belong at the top" ;;
        esac
    done
}

length() {
    local file lines
    while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -le $max_lines ] || echo "$file:$lines: more than $max_lines lines"
    done < <(files_of '*.[ch]' "${layers[@]}" tests)
}

# listed: "collective name" for every line of algorithms.def.
listed() {
    sed -n 's/^AR_ALGORITHM(\([a-z0-9_]*\), *\([a-z0-9_]*\)).*/\1 \2/p' collectives/algorithms.def
}

algorithms() {
    local collective name file
    while read -r collective name; do
        file=collectives/$collective/$name.c
        if [ ! -f "$file" ]; then
            echo "collectives/algorithms.def: $file does not exist"
        elif ! grep -q "^const struct ar_algorithm ar_${collective}_$name\b" "$file"; then
            echo "$file: does not define the descriptor ar_${collective}_$name"
        fi
    done < <(listed)
    # The other way round: a file with a descriptor that the list forgot.
    while IFS=: read -r file name; do
        listed | tr ' ' _ | grep -qx "${name#ar_}" || echo "$file: $name is missing in collectives/algorithms.def"
    done < <(grep -rEo --include='*.c' '^const struct ar_algorithm [a-z0-9_]+' collectives | sed 's/:.* /:/')
}

short_algorithms() {
    local collective name file lines
    while read -r collective name; do
        file=collectives/$collective/$name.c
        [ -f "$file" ] || continue
        lines=$(wc -l <"$file")
        [ "$lines" -le $max_algorithm_lines ] ||
            sed '/\*\//q' "$file" | tr -s ' *\n' ' ' | grep -q "Longer than $max_algorithm_lines lines because " ||
            echo "$file:$lines: more than $max_algorithm_lines lines, and its head does not say 'Longer than ... because'"
    done < <(listed)
}

built() {
    local file layer
    while read -r file; do
        layer=${file%%/*}
        grep -qF "'${file#*/}'" "$layer/meson.build" 2>/dev/null || echo "$file: is missing in $layer/meson.build"
    done < <(files_of '*.c' "${layers[@]}")
}

scripts() {
    local file
    while read -r file; do
        if head -n 1 "$file" | grep -qE '^#!.*\b(ba)?sh$|^# shellcheck shell='; then
            bash -n "$file" 2>&1
        fi
    done < <(files_of '*' scripts tests .ci)
}

good_tree() {
    put collectives/algorithms.def 'AR_ALGORITHM(broadcast, linear)'
    put collectives/broadcast/linear.c 'const struct ar_algorithm ar_broadcast_linear = {'
    put collectives/meson.build "  'broadcast/linear.c',"
    put scripts/setup $'#!/usr/bin/env bash\nif true; then :; fi'
    put build-test/x ''
    put meson.build ''
}

self_test() {
    local rule
    for rule in top_level length algorithms short_algorithms built scripts; do
        must_pass $rule README.md ''
    done
    must_find top_level 'does not belong' notes.txt ''
    must_find top_level 'must be a folder' bench ''
    must_find length 'more than' sim/long.c "$(seq $((max_lines + 1)))"
    must_find algorithms 'does not exist' collectives/algorithms.def 'AR_ALGORITHM(reduce, ring)'
    must_find algorithms 'does not define' collectives/broadcast/linear.c 'const struct ar_algorithm ar_broadcast_line = {'
    must_find algorithms 'is missing in collectives/algorithms.def' collectives/reduce/chain.c 'const struct ar_algorithm reduce_chain = {'
    must_find short_algorithms 'more than 120' collectives/broadcast/linear.c "$(seq 121)"
    must_find short_algorithms 'more than 120' collectives/broadcast/linear.c \
        "/* Idea. */$(seq 121)"$'\n/* Longer than 120 lines because the head must say so. */'
    must_pass short_algorithms collectives/broadcast/linear.c \
        $'/* Idea. Longer than 120\n * lines because of its\n * example. */\n'"$(seq 121)"
    must_pass short_algorithms collectives/broadcast/linear.c "$(seq 120)"
    must_find built 'is missing in collectives/meson.build' collectives/forgotten.c ''
    must_find built 'is missing in sim/meson.build' sim/forgotten.c ''
    must_find scripts 'syntax error' scripts/bad $'#!/usr/bin/env bash\nif true; then'
}

main "$@"
