#include "sim/machines/profile.h"

#include <stdlib.h>

void ar_profile_free(struct ar_profile *profile)
{
    free(profile->name);
    free(profile->summary);
    free(profile->source);
    for (int i = 0; i < AR_COST_MOST_PARAMS; i++)
        free(profile->param_source[i]);
    *profile = (struct ar_profile){0};
}

struct ar_hockney ar_prices_as_hockney(const struct ar_prices *prices)
{
    const struct ar_loggops *m = &prices->loggops;
    const struct ar_line *line = &prices->line[0][prices->nregimes > 0 ? prices->nregimes - 1 : 0];
    if (prices->clocking == AR_THREE_CLOCKS)
        return (struct ar_hockney){2 * m->o_s + m->L_s, ar_later(m->G_s_per_byte, m->O_s_per_byte),
                                   prices->gamma_s_per_byte};
    return (struct ar_hockney){line->alpha_s, line->beta_s_per_byte, prices->gamma_s_per_byte};
}
