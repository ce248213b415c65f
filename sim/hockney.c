#include "sim/hockney.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/units.h"

/* L and G of the LogGP tuples in simulations/loggp_params.py of github.com/DanieleDeSensi/cloud_noise (commit
 * 49563ff), same switch: De Sensi et al., Noise in the clouds, POMACS 6(3), 2022. Nobody published gamma. */
const struct ar_hockney_machine ar_hockney_machines[] = {
    {"azure-hdr",
     "Azure HPC, InfiniBand HDR 200 Gbit/s",
     "De Sensi et al., Noise in the clouds, POMACS 6(3), 2022, loggp_params.py: L 1.7 us, G 0.000046 us/B",
     {1.7e-6, 0.000046e-6, 0}},
    {"aws-efa",
     "AWS HPC, EFA 100 Gbit/s",
     "De Sensi et al., Noise in the clouds, POMACS 6(3), 2022, loggp_params.py: L 28 us, G 0.00017 us/B",
     {28e-6, 0.00017e-6, 0}},
};

const int ar_nhockney_machines = sizeof ar_hockney_machines / sizeof *ar_hockney_machines;

static enum ar_status find_machine(const char *name, const struct ar_hockney_machine **machine,
                                   struct ar_error *error)
{
    const char **known = ar_alloc((size_t)ar_nhockney_machines, sizeof *known);
    enum ar_status status = AR_INVALID;
    for (int i = 0; i < ar_nhockney_machines; i++) {
        known[i] = ar_hockney_machines[i].name;
        if (strcmp(name, known[i]) == 0) {
            *machine = &ar_hockney_machines[i];
            status = AR_OK;
        }
    }
    if (status != AR_OK)
        ar_fail_unknown(error, "machine", name, known, (size_t)ar_nhockney_machines);
    free(known);
    return status;
}

static enum ar_status parse_inverse(const char *text, const char *what, double *s_per_byte,
                                    struct ar_error *error)
{
    double rate_Bps;
    enum ar_status status = text ? ar_parse_rate(text, what, &rate_Bps, error) : AR_OK;
    if (status == AR_OK && text)
        *s_per_byte = 1 / rate_Bps;
    return status;
}

bool ar_hockney_given(const struct ar_hockney_words *words)
{
    return words->machine || words->alpha || words->beta_Bps || words->gamma_Bps;
}

enum ar_status ar_hockney_parse(const struct ar_hockney_words *words, struct ar_hockney *model,
                                const struct ar_hockney_machine **machine, struct ar_error *error)
{
    const struct ar_hockney_machine *found = ar_hockney_machines;
    enum ar_status status = words->machine ? find_machine(words->machine, &found, error) : AR_OK;
    return status == AR_OK ? ar_hockney_settle(words, found, model, machine, error) : status;
}

enum ar_status ar_hockney_settle(const struct ar_hockney_words *words, const struct ar_hockney_machine *found,
                                 struct ar_hockney *model, const struct ar_hockney_machine **machine,
                                 struct ar_error *error)
{
    struct ar_hockney made = found->model;
    enum ar_status status = AR_OK;
    if (words->alpha)
        status = ar_parse_time(words->alpha, "--alpha", &made.alpha_s, error);
    if (status == AR_OK)
        status = parse_inverse(words->beta_Bps, "--beta-Bps", &made.beta_s_per_byte, error);
    if (status == AR_OK)
        status = parse_inverse(words->gamma_Bps, "--gamma-Bps", &made.gamma_s_per_byte, error);
    if (status != AR_OK)
        return status;
    *model = made;
    *machine = words->alpha && words->beta_Bps ? NULL : found;
    return AR_OK;
}

static void add_rate(struct ar_text *text, const char *name, double s_per_byte)
{
    char rate[AR_UNITS_TEXT];
    ar_text_add(text, ", %s %s", name, s_per_byte > 0 ? ar_format_rate(rate, 1 / s_per_byte) : "0");
}

void ar_hockney_write(const struct ar_hockney *model, struct ar_text *text)
{
    char time[AR_UNITS_TEXT];
    ar_text_add(text, "alpha %s", ar_format_time(time, model->alpha_s));
    add_rate(text, "beta", model->beta_s_per_byte);
    add_rate(text, "gamma", model->gamma_s_per_byte);
}
