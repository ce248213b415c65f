/* What ranks keep between steps, as the papers count it: model states under every strategy that leaves them
 * whole or divides them evenly (sim/training/memory.h), whatever the layers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/report/report.h"
#include "sim/training/memory.h"

struct ar_memory_setup {
    int64_t nranks, parameters;
    enum ar_optimizer optimizer;
    enum ar_precision precision;
};

/* Adds the fields parameters, nranks, optimizer and precision, and the table "memory"; for people also
 * "sums", how its totals come about. */
void ar_memory_report(const struct ar_memory_setup *setup, bool for_people, struct ar_report *report);
