#!/usr/bin/env bash
# Which layer may include which, and who may see which library.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rules=(
    "direction collectives/base <- {collectives, topologies} <- sim <- bench"
    "libraries each library's header is included only by its readers"
    "paths own headers are included by their path from the top, and exist"
)

# included: "file:line:<header>" or "file:line:\"header\"" for every include of the layers.
included() {
    local files
    mapfile -t files < <(files_of '*.[ch]' "${layers[@]}" && files_of '*.def' "${layers[@]}")
    [ ${#files[@]} -eq 0 ] || awk '
    match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
        what = substr($0, RSTART, RLENGTH)
        sub(/^[^<"]*/, "", what)
        print FILENAME ":" FNR ":" what
    }' "${files[@]}"
}

direction() {
    included | awk -F: '
    function layer(path) {
        if (path ~ /^collectives\/base\//) return "base"
        if (path ~ /^(collectives|topologies|sim|bench|tests)\//) { sub(/\/.*/, "", path); return path }
        return ""
    }
    BEGIN {
        may["base"] = " base "
        may["collectives"] = " base collectives "
        may["topologies"] = " base topologies "
        may["sim"] = " base collectives topologies sim "
        may["bench"] = " base collectives topologies sim bench "
    }
    {
        to = $3
        gsub(/[<>"]/, "", to)
        from = layer($1)
        used = layer(to)
        if (used != "" && index(may[from], " " used " ") == 0)
            print $1 ":" $2 ": " from " must not include " to
    }'
}

libraries() {
    included | awk -F: '
    function only(header, readers) { reader[header] = readers }
    BEGIN {
        only("^<mpi[.]h>", "^(collectives/run/(mpi(_library)?|witness)[.]c|bench/harness/.*)$")
        only("^<hwloc([.]h>|/)", "^topologies/machine[.]c$")
        only("^<(csv|jansson)[.]h>", "^bench/(import|report)/")
        only("^<(libsmartcols/)?libsmartcols[.]h>", "^bench/report/text[.]c$")
        only("^<argp[.]h>", "^bench/cli/")
        only("^<criterion/", "^tests/")
        # Our own doors to MPI.
        only("^\"collectives/run/(mpi(_library)?|witness)[.]h\"", "^(bench/|collectives/run/(mpi(_library)?|witness)[.]c$)")
        only("^\"collectives/run/mpi_end[.]h\"", "^collectives/run/mpi(_library)?[.]c$")
    }
    {
        for (header in reader)
            if ($3 ~ header && $1 !~ reader[header])
                print $1 ":" $2 ": must not include " $3
    }'
}

paths() {
    local file line what path
    while IFS=: read -r file line what; do
        [[ $what == '"'* ]] || continue
        path=${what//\"/}
        if [[ $path == ../* || $path == */../* || ! -f $path ]]; then
            echo "$file:$line: there is no $path at the top of the tree"
        fi
    done < <(included)
}

good_tree() {
    put collectives/base/error.h '#pragma once'
    put collectives/schedule.h '#include "collectives/base/error.h"'
    put collectives/run/mpi.h '#include <stdbool.h>'
    put collectives/run/mpi.c $'#include "collectives/run/mpi.h"\n#include <mpi.h>'
    put topologies/machine.c $'#include <hwloc.h>\n#include "collectives/base/error.h"'
    put sim/training/plan.h '#include "collectives/schedule.h"'
    put bench/report/text.c '#include <libsmartcols/libsmartcols.h>'
}

self_test() {
    local rule
    for rule in direction libraries paths; do
        must_pass $rule bench/cli/main.c $'#include <argp.h>\n#include "sim/training/plan.h"\n#include "collectives/run/mpi.h"'
    done
    must_find direction 'base must not include collectives/schedule.h' collectives/base/text.c '#include "collectives/schedule.h"'
    must_find direction 'collectives must not include sim/training/plan.h' collectives/x.c '#include "sim/training/plan.h"'
    must_find direction 'collectives must not include topologies/machine.h' collectives/x.h '#include "topologies/machine.h"'
    must_find direction 'topologies must not include collectives/schedule.h' topologies/x.c '  #  include "collectives/schedule.h"'
    must_find direction 'sim must not include bench/report/report.h' sim/x.c '#include "bench/report/report.h"'
    must_find direction 'bench must not include tests/x.h' bench/x.c '#include "tests/x.h"'
    must_find direction 'collectives must not include bench/x.def' collectives/x.def '#include <bench/x.def>'
    must_find libraries '<mpi.h>' collectives/run/loopback.c '#include <mpi.h>'
    must_find libraries '<mpi.h>' bench/cli/main.c '#include <mpi.h>'
    must_find libraries '<hwloc.h>' bench/harness/environment.c '#include <hwloc.h>'
    must_find libraries '<hwloc/helper.h>' sim/x.c '#include <hwloc/helper.h>'
    must_find libraries '<csv.h>' bench/training/claim.c '#include <csv.h>'
    must_find libraries '<jansson.h>' sim/training/model.c '#include <jansson.h>'
    must_find libraries '<libsmartcols/libsmartcols.h>' bench/report/csv.c '#include <libsmartcols/libsmartcols.h>'
    must_find libraries '<argp.h>' bench/training/claim.c '#include <argp.h>'
    must_find libraries '<criterion/criterion.h>' sim/x.c '#include <criterion/criterion.h>'
    must_find libraries '"collectives/run/mpi.h"' collectives/run/execution.c '#include "collectives/run/mpi.h"'
    must_find libraries '"collectives/run/mpi_library.h"' sim/x.c '#include "collectives/run/mpi_library.h"'
    must_find libraries '"collectives/run/mpi_end.h"' bench/harness/x.c '#include "collectives/run/mpi_end.h"'
    must_find libraries '"collectives/run/witness.h"' sim/x.c '#include "collectives/run/witness.h"'
    must_find paths 'error.h' collectives/base/x.c '#include "error.h"'
    must_find paths '../base/error.h' collectives/run/x.c '#include "collectives/run/../base/error.h"'
}

main "$@"
