# shellcheck shell=bash
# Shared by the scripts of this folder; sourced, not run. Sets `root` to the top of the checkout.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
    printf '==> %s\n' "$*"
}

# Ends the script with one sentence. $1 is the exit code: 2 for something the user can mend, else 1.
die() {
    local code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$code"
}

# logged LOG COMMAND...: runs the command with its output in LOG, and shows its end if the command fails.
logged() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null && return
    printf -- '---- the end of %s\n' "$log" >&2
    tail -n 60 "$log" >&2
    printf -- '----\n' >&2
    return 1
}

# configure BUILD_DIR MESON_OPTIONS...: makes the build folder, or renews it, so that libraries installed
# since then are found; one that cannot be renewed (moved, half made, by another meson) is made anew.
configure() {
    local build=$1 renew=() log status=0
    shift
    if [ -f "$build/meson-private/coredata.dat" ]; then
        meson setup --reconfigure "$@" "$build" "$root" >/dev/null 2>&1 </dev/null && return
        renew=(--wipe)
    fi
    log=$(mktemp)
    logged "$log" meson setup ${renew[@]+"${renew[@]}"} "$@" "$build" "$root" || status=1
    rm -f "$log"
    return $status
}

# compile BUILD_DIR JOBS
compile() {
    logged "$1/compile.log" meson compile -C "$1" -j "$2"
}

# More ranks than cores are welcome, and Open MPI refuses root unless told twice. `mpi_settings` holds what was
# exported, as one types it.
mpi_environment() {
    mpi_settings='OMPI_MCA_rmaps_base_oversubscribe=1'
    if [ "$(id -u)" = 0 ]; then
        mpi_settings+=' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1'
    fi
    # shellcheck disable=SC2086
    export $mpi_settings
}

# number_of FLAG VALUE: VALUE if it is a positive whole number, else the end.
number_of() {
    [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die 2 "$1 expects a number of at least 1, got '${2-}'"
    printf '%s\n' "$2"
}

cores() {
    nproc 2>/dev/null || echo 2
}

# print_help SCRIPT: the comment at the top of a script is its help.
print_help() {
    sed -n '2,/^$/ { s/^# \{0,1\}//; p }' "$1"
}
