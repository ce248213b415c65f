#!/usr/bin/env bash
# The sources are as clang-format 14 leaves them (other versions format differently: then nothing is checked).

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

style=$(cd "$(dirname "$0")/../.." && pwd)/.clang-format
rules=("formatted every .c and .h file is as clang-format leaves it")

formatted() {
    local files
    mapfile -t files < <(files_of '*.[ch]' "${layers[@]}" tests)
    [ ${#files[@]} -eq 0 ] || clang-format --dry-run --style=file:"$style" "${files[@]}" 2>&1 | grep warning: || true
}

self_test() {
    must_pass formatted sim/good.c $'int ar_x(int a)\n{\n    return a;\n}'
    must_find formatted 'should be clang-formatted' sim/bad.c $'int ar_x(int a) {\n  return a;\n}'
}

if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo '1..0 # SKIP clang-format 14 is not installed'
    exit 0
fi
main "$@"
