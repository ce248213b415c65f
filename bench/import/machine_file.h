/* Machine profiles as JSON, built in or from files:
 *
 *     {"name": "ours",
 *      "summary": "the small cluster, InfiniBand EDR",
 *      "model": "hockney",
 *      "source": "allround pingpong, 2 nodes, 2026-02-03",
 *      "parameters": {
 *        "alpha": "1.6us",
 *        "beta": {"value": "11.2GB/s", "source": "the vendor"}}}
 *
 * `model` is one of sim/models/models.def, `parameters` those of that model, in its words
 * (sim/models/model.h). A parameter's own source, where it has one, stands instead of the profile's. No name
 * and no number is taken on trust: every mistake is refused with its line and column.
 */
#pragma once

#include "sim/machines/profile.h"

/* A built-in name, or else a file (a name that ends in .json or has a slash or a dot). AR_INVALID with the
 * nearest name, or "FILE:LINE:COLUMN: ...". The caller frees the machine with ar_profile_free. */
enum ar_status ar_profile_read(const char *name, struct ar_profile *profile, struct ar_error *error);

/* The machine `name` (NULL: azure-hdr) with single values instead of its own, each of `set` as "NAME=VALUE",
 * and what it costs there: for --machine and --set. */
enum ar_status ar_profile_settle(const char *name, const char *const *set, int nset,
                                 struct ar_profile *profile, struct ar_prices *prices,
                                 struct ar_error *error);
