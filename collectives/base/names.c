#include "collectives/base/names.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"

const char *ar_name(struct ar_names names, int i)
{
    const void *thing = (const char *)names.first + (size_t)i * names.stride;
    if (names.pointers)
        thing = *(const void *const *)thing;
    return *(const char *const *)thing;
}

int ar_names_find(struct ar_names names, const char *word)
{
    for (int i = 0; i < names.n; i++)
        if (strcmp(ar_name(names, i), word) == 0)
            return i;
    return -1;
}

static const char **all_of(struct ar_names names)
{
    const char **known = ar_alloc((size_t)names.n, sizeof *known);
    for (int i = 0; i < names.n; i++)
        known[i] = ar_name(names, i);
    return known;
}

const char *ar_names_nearest(struct ar_names names, const char *word)
{
    const char **known = all_of(names);
    const char *nearest = ar_nearest(word, known, (size_t)names.n);
    free(known);
    return nearest;
}

enum ar_status ar_names_unknown(struct ar_names names, const char *kind, const char *word,
                                struct ar_error *error)
{
    const char **known = all_of(names);
    enum ar_status status = ar_fail_unknown(error, kind, word, known, (size_t)names.n);
    free(known);
    return status;
}

enum ar_status ar_names_pick(struct ar_names names, const char *kind, const char *word, int *index,
                             struct ar_error *error)
{
    int found = ar_names_find(names, word);
    if (found < 0)
        return ar_names_unknown(names, kind, word, error);
    *index = found;
    return AR_OK;
}

static enum ar_status add(struct ar_names names, const char *kind, const char *word, int *index, int *n,
                          struct ar_error *error)
{
    int found;
    enum ar_status status = ar_names_pick(names, kind, word, &found, error);
    if (status != AR_OK)
        return status;
    for (int i = 0; i < *n; i++)
        if (index[i] == found)
            return ar_fail(error, AR_INVALID, "%s '%s' is given twice", kind, word);
    index[(*n)++] = found;
    return AR_OK;
}

enum ar_status ar_names_pick_list(struct ar_names names, const char *kind, const char *list, int *index,
                                  int *n, struct ar_error *error)
{
    *n = 0;
    if (strcmp(list, "all") == 0) {
        for (; *n < names.n; ++*n)
            index[*n] = *n;
        return AR_OK;
    }
    char *copy = memcpy(ar_alloc(strlen(list) + 1, 1), list, strlen(list)), *rest = copy;
    enum ar_status status = AR_OK;
    while (rest && status == AR_OK)
        status = add(names, kind, strsep(&rest, ","), index, n, error);
    free(copy);
    return status;
}
