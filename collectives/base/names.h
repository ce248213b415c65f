/* Finding things by name: one way for every registry and every list of words.
 *
 * The things stand in an array: strings, structs whose first member is their name, or pointers to such
 * structs.
 *
 *     int i;
 *     status = ar_names_pick(AR_NAMES(ar_types, AR_NTYPES), "type", "flot32", &i, error);
 *     "unknown type 'flot32', did you mean 'float32'?"
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collectives/base/error.h"

struct ar_names {
    const void *first;
    size_t stride; /* bytes from one element to the next */
    int n;
    bool pointers; /* the elements are pointers to the things */
};

#define AR_NAMES(array, n) ((struct ar_names){(array), sizeof *(array), (n), false})
#define AR_NAMES_POINTED(array, n) ((struct ar_names){(array), sizeof *(array), (n), true})

const char *ar_name(struct ar_names names, int i);

/* The index of the thing called `word`, -1 when there is none. */
int ar_names_find(struct ar_names names, const char *word);

/* The name that was probably meant (ar_nearest); NULL when none is near. */
const char *ar_names_nearest(struct ar_names names, const char *word);

/* AR_INVALID with the nearest name, or with all of them when none is near; `kind` says what is named. */
enum ar_status ar_names_unknown(struct ar_names names, const char *kind, const char *word,
                                struct ar_error *error);

/* The index of `word`, or a refusal. */
enum ar_status ar_names_pick(struct ar_names names, const char *kind, const char *word, int *index,
                             struct ar_error *error);

/* A list "a,b", or "all": indices in the list's order, each once. `index` has room for names.n. */
enum ar_status ar_names_pick_list(struct ar_names names, const char *kind, const char *list, int *index,
                                  int *n, struct ar_error *error);
