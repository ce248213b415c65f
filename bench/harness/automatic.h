/* `auto`: the algorithm that the model says is fastest.
 *
 * Nothing is random and nothing is measured here, so ranks that ask with the same model agree without a word.
 */
#pragma once

#include "bench/harness/costing.h"

/* Of the choices that are priced for the problem (ar_costing_choices) the one with the least ar_quick_price
 * for its count; of equal ones the first in the registry, as in the crossover table. *time_s (may be NULL) is
 * its modelled time. AR_INVALID: the root is none, or nothing can be priced. */
enum ar_status ar_choose_automatically(const struct ar_costing *problem, struct ar_choice *choice,
                                       double *time_s, struct ar_error *error);
