#!/usr/bin/env bash
# check-output.sh ALLROUND: what cannot be written, on a full disk, is no success. Prints TAP.

set -euo pipefail
[ $# -eq 1 ] || { sed -n '2s/^# \([^:]*\):.*/usage: \1/p' "$0" >&2; exit 2; }
[ -c /dev/full ] || { echo '1..0 # SKIP there is no /dev/full'; exit 0; }

cases=('' --help --version 'verify --help' 'verify --usage' 'verify --version' list 'list --json')
echo "1..${#cases[@]}"
failed=0
for i in "${!cases[@]}"; do
    status=0
    # shellcheck disable=SC2086 # words
    said=$("$1" ${cases[i]} 2>&1 >/dev/full) || status=$?
    if [[ $status = 2 && $said = 'allround: cannot write the output: '* ]]; then
        echo "ok $((i + 1)) - allround ${cases[i]}"
    else
        echo "not ok $((i + 1)) - allround ${cases[i]}: exit status $status, '$said'"
        failed=1
    fi
done
exit $failed
