/* The claim as tables: what `allround claim` prints and the keys of its JSON. */
#pragma once

#include "bench/report/report.h"
#include "bench/training/claim.h"

/* Fields: nranks, model, parameters, layers, type, elem_bytes, buffers, transport, collectives ("allround" or
 * "mpi library"). Tables: `primitives` (the argument) and `strategies` (one step), in this order for people;
 * the strategies first for formats that show one table. Notes say in words what was found. */
void ar_claim_report(const struct ar_claim *claim, const struct ar_runner_setup *setup,
                     const struct ar_model *model, bool for_people, struct ar_report *report);
