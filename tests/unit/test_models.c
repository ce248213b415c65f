/* Cost models in words, machine profiles and what is wrong in them, what a message does to clocks. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/import/machine_file.h"
#include "collectives/base/names.h"
#include "sim/hockney.h"

static const double SAME = 1e-12; /* relative */

static bool near(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

/* ---- Parameters -------------------------------------------------------------------------------------- */

Test(models, words_become_values)
{
    static const struct {
        const struct ar_cost_model *model;
        const char *assignment;
        double value; /* the last of a list; -1: refused */
        const char *error;
    } cases[] = {
        {&ar_cost_model_hockney, "alpha=2us", 2e-6, NULL},
        {&ar_cost_model_hockney, "beta=12.5GB/s", 1 / 12.5e9, NULL},
        {&ar_cost_model_hockney, "beta=0.08ns/B", 0.08e-9, NULL},
        {&ar_cost_model_hockney, "beta=0", 0, NULL},
        {&ar_cost_model_loggops, "S=64KiB", 65536, NULL},
        {&ar_cost_model_max_rate, "R_N=200Gbit/s", 25e9, NULL},
        {&ar_cost_model_max_rate, "k=8", 8, NULL},
        {&ar_cost_model_piecewise, "from=0,4KiB,64KiB", 65536, NULL},
        {&ar_cost_model_hockney, "alpah=2us", -1,
         "unknown parameter of hockney 'alpah', did you mean 'alpha'?"},
        {&ar_cost_model_hockney, "alpha", -1, "expected NAME=VALUE, e.g. alpha=..., got 'alpha'"},
        {&ar_cost_model_hockney, "alpha=2us,3us", -1,
         "alpha: expected at most 1 value of at most 63 characters, got '2us,3us'"},
        {&ar_cost_model_hockney, "beta=12.5GB", -1,
         "beta: expected a rate such as 12.5GB/s or a time per byte such as 0.08ns/B, got '12.5GB'"},
        {&ar_cost_model_distance, "alpha=1us,,2us", -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_cost_values values = {0};
        struct ar_error error = {""};
        int param = -1;
        enum ar_status status =
            ar_cost_model_assign(cases[i].model, &values, cases[i].assignment, &param, &error);
        cr_assert_eq(status, cases[i].value < 0 ? AR_INVALID : AR_OK, "%s: %s", cases[i].assignment,
                     error.text);
        if (status == AR_OK)
            cr_expect(near(values.value[param][values.n[param] - 1], cases[i].value), "%s",
                      cases[i].assignment);
        if (cases[i].error)
            cr_expect_str_eq(error.text, cases[i].error);
    }
}

static enum ar_status price(const struct ar_cost_model *model, const char *words, struct ar_prices *prices,
                            struct ar_error *error)
{
    struct ar_cost_values values = {0};
    char *copy = strdup(words), *rest = copy;
    for (char *word; (word = strsep(&rest, " "));) {
        int param;
        cr_assert_eq(ar_cost_model_assign(model, &values, word, &param, error), AR_OK, "%s", error->text);
    }
    free(copy);
    return ar_cost_model_price(model, &values, prices, error);
}

Test(models, values_that_do_not_go_together_are_refused)
{
    static const struct {
        const struct ar_cost_model *model;
        const char *words, *error;
    } cases[] = {
        {&ar_cost_model_hockney, "alpha=1us", "hockney needs beta, the time per byte of a byte sent"},
        {&ar_cost_model_piecewise, "from=0,1 alpha=1us beta=1GB/s,2GB/s",
         "from, alpha, beta: expected one value per regime, got 2, 1 and 2"},
        {&ar_cost_model_piecewise, "from=1 alpha=1us beta=1GB/s",
         "from: expected sizes that start at 0 and ascend, got 1 B first"},
        {&ar_cost_model_piecewise, "from=0,9,9 alpha=1us,1us,1us beta=0,0,0",
         "from: expected sizes that start at 0 and ascend, got 9 B after a larger or equal one"},
        {&ar_cost_model_distance, "span=4,6 alpha=1us,1us,1us beta=0,0,0",
         "span: expected multiples of 4, at most 2147483647, got 6"},
        {&ar_cost_model_distance, "span=4 alpha=1us beta=0,0",
         "alpha, beta: expected 2 values, one more than span has, got 1 and 2"},
        {&ar_cost_model_max_rate, "alpha=1us R_N=1GB/s R_C=1GB/s k=0", "k: expected at least 1, got 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_prices prices;
        struct ar_error error = {""};
        cr_expect_eq(price(cases[i].model, cases[i].words, &prices, &error), AR_INVALID, "%s",
                     cases[i].words);
        cr_expect_str_eq(error.text, cases[i].error);
    }
}

Test(models, price_a_transfer_by_size_and_distance)
{
    struct ar_prices prices;
    struct ar_error error = {""};
    cr_assert_eq(
        price(&ar_cost_model_piecewise, "from=0,100 alpha=1us,5us beta=1GB/s,2GB/s", &prices, &error), AR_OK);
    cr_expect(near(ar_line_takes(&prices, 0, 1, 99), 1e-6 + 99e-9));
    cr_expect(near(ar_line_takes(&prices, 0, 1, 100), 5e-6 + 50e-9));
    cr_assert_eq(price(&ar_cost_model_distance, "span=2,4,8,16 alpha=1us,2us,3us,4us,5us beta=0,0,0,0,0",
                       &prices, &error),
                 AR_OK);
    const int peer[AR_NDISTANCES] = {1, 2, 4, 8, 16};
    for (int d = 0; d < AR_NDISTANCES; d++)
        cr_expect(near(ar_line_takes(&prices, 0, peer[d], 1), (d + 1) * 1e-6), "distance %d", d);
    cr_assert_eq(price(&ar_cost_model_max_rate, "alpha=1us R_N=10GB/s R_C=4GB/s k=2", &prices, &error),
                 AR_OK);
    cr_expect(near(ar_line_takes(&prices, 0, 1, 1000), 1e-6 + 2 * 1000 / 8e9),
              "two ranks do not fill the port");
    cr_assert_eq(price(&ar_cost_model_max_rate, "alpha=1us R_N=10GB/s R_C=4GB/s k=4", &prices, &error),
                 AR_OK);
    cr_expect(near(ar_line_takes(&prices, 0, 1, 1000), 1e-6 + 4 * 1000 / 10e9), "four do");
}

/* ---- Machines ---------------------------------------------------------------------------------------- */

Test(machines, built_in_ones_read_and_name_their_source)
{
    for (int i = 0; i < ar_nprofiles; i++) {
        struct ar_profile profile;
        struct ar_error error = {""};
        cr_assert_eq(ar_profile_read(ar_profile_texts[i].name, &profile, &error), AR_OK, "%s", error.text);
        cr_expect_str_eq(profile.name, ar_profile_texts[i].name);
        cr_expect(strlen(profile.source) > 10 && strlen(profile.summary) > 3, "%s", profile.name);
        cr_expect(i == 0 || strcmp(ar_profile_texts[i - 1].name, ar_profile_texts[i].name) < 0, "by name");
        ar_profile_free(&profile);
    }
    cr_assert_gt(ar_nprofiles, 10);
}

Test(machines, those_of_the_cost_command_are_the_same)
{
    for (int i = 0; i < ar_nhockney_machines; i++) {
        const struct ar_hockney_machine *machine = &ar_hockney_machines[i];
        struct ar_profile profile;
        struct ar_prices prices;
        struct ar_error error = {""};
        cr_assert_eq(ar_profile_settle(machine->name, NULL, 0, &profile, &prices, &error), AR_OK, "%s",
                     error.text);
        struct ar_hockney read = ar_prices_as_hockney(&prices);
        cr_expect(near(read.alpha_s, machine->model.alpha_s), "%s", machine->name);
        cr_expect(near(read.beta_s_per_byte, machine->model.beta_s_per_byte), "%s", machine->name);
        ar_profile_free(&profile);
    }
}

Test(machines, single_values_can_be_given)
{
    const char *const set[] = {"L=3us", "gamma=10GB/s"}, *const wrong[] = {"l=3us"};
    struct ar_profile profile = {0};
    struct ar_prices prices;
    struct ar_error error = {""};
    cr_assert_eq(ar_profile_settle(NULL, set, 2, &profile, &prices, &error), AR_OK, "%s", error.text);
    cr_expect(near(prices.loggops.L_s, 3e-6) && near(prices.gamma_s_per_byte, 1e-10));
    cr_expect(near(prices.loggops.G_s_per_byte, 0.046e-9), "the machine's");
    cr_expect_str_eq(profile.param_source[0], "--set");
    ar_profile_free(&profile);
    cr_expect_eq(ar_profile_settle("daint", wrong, 1, &profile, &prices, &error), AR_INVALID);
    cr_expect_null(profile.name, "nothing is left behind");
    cr_expect_eq(ar_profile_settle("diant", NULL, 0, &profile, &prices, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "unknown machine 'diant', did you mean 'daint'?");
}

/* A file with this text is read; the error without the file's name. */
static enum ar_status read_text(const char *text, struct ar_profile *profile, struct ar_error *error)
{
    char path[] = P_tmpdir "/allround-machine-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    enum ar_status status = ar_profile_read(path, profile, error);
    unlink(path);
    if (status != AR_OK)
        memmove(error->text, error->text + strlen(path) + 1, strlen(error->text) - strlen(path));
    return status;
}

#define START "{\"name\": \"x\", \"summary\": \"y\", \"source\": \"z\",\n \"model\": "

Test(machines, mistakes_in_files_are_named_with_their_place)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"[1]", "1:1: expected an object, got an array"},
        {"{\"name\": \"x\", \"summary\": \"y\", \"model\": \"hockney\"}",
         "1:1: the key \"source\" is missing here"},
        {START "\"hockny\"}", "2:11: unknown cost model 'hockny', did you mean 'hockney'?"},
        {START "\"hockney\"}", "1:1: parameters: expected an object with the parameters of hockney"},
        {START "\"hockney\", \"parameters\": {\"alpha\": \"1us\"}}",
         "2:36: hockney needs beta, the time per byte of a byte sent"},
        {START "\"hockney\", \"parameters\": {\"alpa\": \"1us\"}}",
         "2:37: unknown parameter of hockney 'alpa', did you mean 'alpha'?"},
        {START "\"hockney\", \"parameters\": {\"alpha\": 1}}",
         "2:46: alpha: expected a text such as \"2us\", or an object with value and source"},
        {START "\"hockney\", \"parameters\": {\"alpha\": {\"value\": \"1\", \"unit\": \"us\"}}}",
         "2:61: unknown key 'unit', expected one of value, source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_profile profile = {0};
        struct ar_error error = {""};
        cr_expect_eq(read_text(cases[i].text, &profile, &error), AR_INVALID, "%s", cases[i].text);
        cr_expect_str_eq(error.text, cases[i].error);
        cr_expect_null(profile.name);
    }
    struct ar_profile profile;
    struct ar_error error = {""};
    cr_assert_eq(
        read_text(START "\"hockney\", \"parameters\": {\"alpha\": {\"value\": \"1us\", \"source\": \"me\"},"
                        " \"beta\": \"1GB/s\"}}",
                  &profile, &error),
        AR_OK, "%s", error.text);
    cr_expect_str_eq(profile.param_source[0], "me");
    cr_expect_null(profile.param_source[1]);
    ar_profile_free(&profile);
}

/* ---- Clocks ------------------------------------------------------------------------------------------ */

/* One message of LogGOPS by itself, and what the next one waits for. */
Test(loggops, one_message_and_the_next)
{
    const struct ar_loggops m = {.L_s = 6, .o_s = 2, .g_s = 4, .G_s_per_byte = 0.5, .O_s_per_byte = 0.25};
    struct ar_loggops_clocks sender = {10, 11, 0}, receiver = {0, 0, 0};
    cr_expect_eq(ar_loggops_send(&m, &sender, 9, 1), 11 + 2 + 6, "when processor and port are free");
    cr_expect(sender.cpu_s == 11 + 2 + 8 * 0.25 && sender.send_s == 11 + 4 + 8 * 0.5);
    cr_expect_eq(ar_loggops_receive(&m, &receiver, 9, 19, 1), 19);
    cr_expect(receiver.cpu_s == 19 + 2 + 8 * 0.5 && receiver.receive_s == 19 + 4 + 8 * 0.5);
    cr_expect_eq(ar_loggops_receive(&m, &receiver, 1, 20, 1), 27, "the port is busy until then");
    cr_expect_eq(ar_loggops_send(&m, &sender, 0, 2), 19 + 2 * 2 + 6, "as a byte; a slow processor's o");
}
