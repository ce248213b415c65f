/* What a training strategy communicates in one step, as a list of events.
 *
 * A strategy is a pure function from a model and a number of ranks to a plan. The same plan is modelled
 * (bytes by arithmetic), executed (real buffers over MPI or loopback) and, later, simulated in time and
 * drawn. Adding a strategy is sim/training/strategies/NAME.c, one line in strategies.def and one in
 * meson.build.
 */
#pragma once

#include "collectives/collective.h"
#include "sim/training/memory.h"
#include "sim/training/model.h"

enum ar_phase { AR_PHASE_FORWARD, AR_PHASE_BACKWARD, AR_PHASE_UPDATE };
enum ar_what { AR_WHAT_PARAMETERS, AR_WHAT_GRADIENTS };

struct ar_event {
    enum ar_phase phase;
    int layer; /* index into the model */
    enum ar_collective_id collective;
    int root; /* 0 where the collective has none */
    int64_t elements;
    enum ar_what what;
};

struct ar_plan {
    struct ar_event *event;
    int nevents, capacity;
};

struct ar_strategy {
    const char *name, *summary, *source;
    const char *collectives; /* for people: "all-gather twice, reduce-scatter" */
    void (*plan)(const struct ar_model *model, int nranks,
                 struct ar_plan *plan); /* appends one step's events */
    struct ar_memory (*memory)(const struct ar_model *model, int nranks, struct ar_state_bytes bytes,
                               int rank);
    /* The algorithm for a collective when the user gives none: "linear"; NULL: the program's default. */
    const char *algorithm;
};

extern const struct ar_strategy *const ar_strategies[];
extern const int ar_nstrategies;

const struct ar_strategy *ar_strategy_find(const char *name);

void ar_plan_add(struct ar_plan *plan, struct ar_event event);
void ar_plan_free(struct ar_plan *plan);
