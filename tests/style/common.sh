# shellcheck shell=bash
# The frame of the style checks; sourced, not run.
#
# A check sets `rules`, pairs "FUNCTION what it says", and defines each FUNCTION: run at the top of a tree, it
# prints one line "file:line: what is wrong" per finding, and nothing if all is well. It also defines self_test,
# made of must_find and must_pass. Then `main "$@"`:
#
#   check-X.sh ROOT         applies the rules to the tree; TAP, one line a rule
#   check-X.sh --self-test  shows that each rule finds its bad examples and accepts a good one

number=0
nfailed=0

# verdict GOOD NAME: one TAP line.
verdict() {
    number=$((number + 1))
    if $1; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        nfailed=$((nfailed + 1))
    fi
}

# put FILE CONTENT: into the example tree.
put() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$tree/$1"
}

# A small good tree; a check may define more in good_tree.
new_tree() {
    tree=$work/tree
    rm -rf "$tree"
    mkdir -p "$tree"
    if declare -F good_tree >/dev/null; then good_tree; fi
}

# must_find RULE WORDS FILE CONTENT: with this file added, the rule must report a line naming FILE and WORDS.
must_find() {
    new_tree
    put "$3" "$4"
    local found good=true
    found=$(cd "$tree" && "$1") || true
    grep -F -- "$3" <<<"$found" | grep -qF -- "$2" || good=false
    $good || printf '# found: %s\n' "${found:-nothing}"
    verdict $good "$1 finds: $2 ($3)"
}

# must_pass RULE FILE CONTENT: with this file added, the rule must find nothing.
must_pass() {
    new_tree
    put "$2" "$3"
    local found good=true
    found=$(cd "$tree" && "$1") || true
    [ -z "$found" ] || good=false
    $good || printf '# found: %s\n' "$found"
    verdict $good "$1 accepts $2"
}

# files_of GLOB FOLDER...: the files of these folders, those that exist, sorted.
files_of() {
    local glob=$1 folder
    shift
    for folder in "$@"; do
        [ ! -d "$folder" ] || find "$folder" -type f -name "$glob"
    done | sort
}

layers=(collectives topologies sim bench)

# without_comments FILE...: "file:line:code" with comments and the contents of strings taken out.
without_comments() {
    [ $# -eq 0 ] || awk '
    FNR == 1 { inside = 0 }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        code = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (!end) break
                inside = 0
                line = substr(line, end + 2)
                continue
            }
            start = index(line, "/*")
            other = index(line, "//")
            if (other && (!start || other < start)) { code = code substr(line, 1, other - 1); break }
            if (!start) { code = code line; break }
            code = code substr(line, 1, start - 1)
            line = substr(line, start + 2)
            inside = 1
        }
        print FILENAME ":" FNR ":" code
    }' "$@"
}

run_rules() {
    local entry found good
    cd "$1" || exit 1
    # A check that looks at nothing would always pass.
    [ -n "$(files_of '*.c' "${layers[@]}")" ] || { echo "Bail out! there are no sources in $1"; exit 1; }
    echo "1..${#rules[@]}"
    for entry in "${rules[@]}"; do
        good=true
        found=$("${entry%% *}") || good=false
        [ -z "$found" ] || good=false
        $good || sed 's/^/# /' <<<"$found"
        verdict $good "${entry#* }"
    done
}

main() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    if [ "${1-}" = --self-test ]; then
        self_test
        echo "1..$number"
    else
        run_rules "${1:?usage: $0 ROOT | --self-test}"
    fi
    [ $nfailed -eq 0 ]
}
