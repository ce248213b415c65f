/* The algorithms as a page: collectives/README.md, which `allround list algorithms --markdown` writes.
 *
 * Everything on it is found from the schedules: pictures and numbers for 8 ranks, the order of operands and
 * the equality of bits by proof for 1 to 16.
 */
#pragma once

#include "bench/harness/verify_run.h"
#include "collectives/base/text.h"

enum { AR_PROVED_RANKS = 16 }; /* the properties of algorithms are proved for 1 .. so many */

/* Proves them, with default parameters and every root. The caller releases `swept`. */
enum ar_status ar_catalogue_sweep(const struct ar_algorithm *algorithm, struct ar_swept *swept,
                                  struct ar_error *error);

/* What the number of ranks must be, in words; NULL: nothing. */
const char *ar_needs_words(const struct ar_algorithm *algorithm);

/* "segment=128KiB,fold=full|half", the default first, and "segment: bytes that travel together". */
void ar_params_write(const struct ar_algorithm *algorithm, struct ar_text *values, struct ar_text *help);

/* The picture (collectives/draw/picture.h) of its schedule for 8 ranks, pipelines with one segment. */
enum ar_status ar_catalogue_picture(const struct ar_algorithm *algorithm, struct ar_text *text,
                                    struct ar_error *error);

/* How many algorithms a collective has. */
int ar_collective_algorithms(enum ar_collective_id collective);

/* Appends the page. */
enum ar_status ar_catalogue_write(struct ar_text *page, struct ar_error *error);
