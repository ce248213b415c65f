#!/usr/bin/env bash
# Names: calls that must not be used, and prefixes in headers. check-symbols.sh looks at the built libraries.

set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rules=(
    "banned no strcpy, strcat, sprintf, vsprintf, strtok, atoi, atol, atof, gets, system or popen"
    "functions every function in a header is named ar_..."
    "types every struct, union and enum in a header is named ar_..."
    "macros every macro in a header is named AR_..."
)

banned() {
    local files
    mapfile -t files < <(files_of '*.[ch]' "${layers[@]}" tests)
    without_comments ${files[@]+"${files[@]}"} | awk -F: '
    {
        code = $0
        sub(/^[^:]*:[^:]*:/, "", code)
        if (match(code, /(^|[^A-Za-z0-9_.>])(strcpy|strcat|v?sprintf|strtok|ato[ilf]|gets|system|popen)[ \t]*\(/))
            print $1 ":" $2 ": " substr(code, RSTART, RLENGTH) "...) is not used here"
    }'
}

# header_code: the headers without comments, as "file:line:code".
header_code() {
    local files
    mapfile -t files < <(files_of '*.h' "${layers[@]}")
    without_comments ${files[@]+"${files[@]}"}
}

# A declaration starts in the first column; bodies and members are indented.
functions() {
    header_code | awk -F: '
    {
        code = $0
        sub(/^[^:]*:[^:]*:/, "", code)
        gsub(/__attribute__ *\(\([^)]*(\([^)]*\))?[^)]*\)\)/, "", code)
        if (code !~ /^[A-Za-z_]/ || !match(code, /[A-Za-z0-9_]+\(/)) next
        name = substr(code, RSTART, RLENGTH - 1)
        if (index(code, "=") && index(code, "=") < RSTART) next
        if (name !~ /^ar_/ && name != "_Static_assert") print $1 ":" $2 ": " name " lacks the prefix ar_"
    }'
}

types() {
    header_code | awk -F: '
    {
        code = $0
        sub(/^[^:]*:[^:]*:/, "", code)
        if (match(code, /^(typedef )?(struct|union|enum) [A-Za-z0-9_]+ *(;|\{|$)/)) {
            split(code, word, /[ ;{]+/)
            name = word[word[1] == "typedef" ? 3 : 2]
            if (name !~ /^ar_/) print $1 ":" $2 ": " name " lacks the prefix ar_"
        }
        if (code ~ /^typedef (struct|union|enum)( |$)/) print $1 ":" $2 ": no typedefs of structs, unions or enums"
    }'
}

macros() {
    header_code | awk -F: '
    {
        code = $0
        sub(/^[^:]*:[^:]*:/, "", code)
        if (match(code, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/)) {
            name = substr(code, RSTART, RLENGTH)
            sub(/.*[ \t]/, "", name)
            if (name !~ /^AR_/) print $1 ":" $2 ": " name " lacks the prefix AR_"
        }
    }'
}

good_tree() {
    put collectives/good.h '/* strcpy(a, b) and system(x) are only mentioned here:
 * sprintf(x)
 */
#pragma once
#define AR_LIMIT 4 // atoi(x)
struct ar_thing {
    int (*call)(int);
};
enum { AR_ONE = (1) };
typedef void ar_combine(void *held);
extern const struct ar_thing broadcast_linear;
__attribute__((format(printf, 1, 2))) int ar_say(const char *format, ...);
static inline int ar_twice(int x)
{
    return twice(x);
}'
    put collectives/good.c 'static void f(void) { say("call system(1)"); snprintf(a, 1, "x"); door.system(1); }'
}

self_test() {
    local rule word
    for rule in banned functions types macros; do
        must_pass $rule collectives/more.h 'int ar_more(int x);'
    done
    for word in strcpy strcat sprintf vsprintf strtok atoi gets system popen; do
        must_find banned "$word(" sim/bad.c "int x = $word(y);"
    done
    must_find banned 'strcpy' tests/unit/bad.c 'strcpy (a, b);'
    must_find functions 'thing_new' collectives/bad.h 'struct ar_thing *thing_new(int n);'
    must_find functions 'twice' collectives/bad.h 'static inline int twice(int x)'
    must_find types 'thing' collectives/bad.h 'struct thing {'
    must_find types 'no typedefs' collectives/bad.h 'typedef struct ar_thing ar_thing;'
    must_find macros 'LIMIT' collectives/bad.h '#define LIMIT 3'
}

main "$@"
