/* What one rank alone sees (a file that is missing there, a smaller machine), all ranks must learn before
 * they go on, or some wait for others that have left.
 */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"
#include "collectives/run/transport.h"

/* Collective over MPI. Every rank gets the status and the sentence of the first that failed ("rank 2: ..."
 * where that is not rank 0). Where none failed, the digests must be the same: of what was read from `file`,
 * or of the command line where that is NULL. `end` NULL: there are no others, and the status is `mine`. */
enum ar_status ar_agree(struct ar_end *end, enum ar_status mine, uint64_t digest, const char *file,
                        struct ar_error *error);
