/* Hockney's model: what a message and a combined byte cost.
 *
 *     time of a transfer = alpha_s + bytes * beta_s_per_byte;  of combining = bytes * gamma_s_per_byte
 *
 * One port each way, full duplex, no contention (sim/engine/clocks.h). (Hockney, The communication challenge
 * for MPP: Intel Paragon and Meiko CS-2, Parallel Computing 20(3), 1994)
 */
#pragma once

#include <stdbool.h>

#include "collectives/algorithm.h"
#include "collectives/base/text.h"

struct ar_hockney {
    double alpha_s, beta_s_per_byte, gamma_s_per_byte; /* each >= 0 */
};

/* A machine somebody measured and published. gamma is 0 where it was not: combining is then not priced. */
struct ar_hockney_machine {
    const char *name, *summary, *source;
    struct ar_hockney model;
};

extern const struct ar_hockney_machine ar_hockney_machines[]; /* the first is the default */
extern const int ar_nhockney_machines;

/* A model in words, as options give it; NULL: not given. */
struct ar_hockney_words {
    const char *machine;                      /* else the first */
    const char *alpha, *beta_Bps, *gamma_Bps; /* "2us", "12.5GB/s": instead of the machine's */
};

bool ar_hockney_given(const struct ar_hockney_words *words); /* any of it */

/* AR_INVALID with what is wrong in which: "--alpha: expected a time ...". *machine is the one named, or NULL
 * where nothing of it is left. */
enum ar_status ar_hockney_parse(const struct ar_hockney_words *words, struct ar_hockney *model,
                                const struct ar_hockney_machine **machine, struct ar_error *error);

/* The same for a machine that is found already. */
enum ar_status ar_hockney_settle(const struct ar_hockney_words *words, const struct ar_hockney_machine *found,
                                 struct ar_hockney *model, const struct ar_hockney_machine **machine,
                                 struct ar_error *error);

/* A closed form for a full vector of `bytes`. */
static inline double ar_hockney_time(const struct ar_hockney *model, struct ar_cost cost, double bytes)
{
    return cost.alpha * model->alpha_s + cost.beta * bytes * model->beta_s_per_byte +
           cost.gamma * bytes * model->gamma_s_per_byte;
}

/* Appends "alpha 1.7 us, beta 21.74 GB/s, gamma 10 GB/s"; "beta 0" and "gamma 0" where bytes cost nothing. */
void ar_hockney_write(const struct ar_hockney *model, struct ar_text *text);
