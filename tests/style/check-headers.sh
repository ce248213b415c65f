#!/usr/bin/env bash
# Every header compiles alone, twice in a row, with each compiler there is: it includes what it uses, and
# guards itself.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rules=()
for name in gcc clang; do
    command -v $name >/dev/null && rules+=("with_$name every header compiles alone with $name")
done

alone() {
    local header
    local -a library_flags
    read -ra library_flags <<<"$(pkg-config --cflags hwloc jansson 2>/dev/null || true)"
    while read -r header; do
        printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
            "$1" -x c -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror \
                -I. "${library_flags[@]}" -fsyntax-only - 2>&1 | sed "s|^|$header: |" | head -n 5
    done < <(files_of '*.h' "${layers[@]}")
}

with_gcc() {
    alone gcc
}

with_clang() {
    alone clang
}

self_test() {
    local entry rule
    for entry in "${rules[@]}"; do
        rule=${entry%% *}
        must_pass "$rule" collectives/good.h $'#pragma once\n#include <stddef.h>\nstruct ar_x { size_t n; };'
        must_find "$rule" size_t collectives/bad.h $'#pragma once\nstruct ar_x { size_t n; };'
        must_find "$rule" redefinition collectives/bad.h 'struct ar_x { int n; };'
        must_find "$rule" missing.h collectives/bad.h $'#pragma once\n#include "collectives/missing.h"'
    done
}

main "$@"
