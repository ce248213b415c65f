/* The cost models and the built-in machines as tables (bench/harness/listing.h). */
#pragma once

#include <stdbool.h>

#include "bench/report/report.h"

enum ar_status ar_list_cost_models(struct ar_report *report, bool for_people, struct ar_error *error);

/* For programs a row per parameter, with its source. */
enum ar_status ar_list_machines(struct ar_report *report, bool for_people, struct ar_error *error);
