/* What a training strategy communicates in one step, as a list of events.
 *
 * A strategy is a pure function from a model and a number of ranks to a plan. The same plan is modelled
 * (bytes by arithmetic), executed (real buffers over MPI or loopback) and, later, simulated in time and
 * drawn. Adding a strategy is sim/training/strategies/NAME.c, one line in strategies.def and one in
 * meson.build.
 *
 * All ranks hold the same plan and carry out its events in order. Parameters and gradients have the same
 * number of elements; what they weigh on the wire is the caller's element type.
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/collective.h"
#include "sim/training/memory.h"
#include "sim/training/model.h"

enum ar_phase { AR_PHASE_FORWARD, AR_PHASE_BACKWARD, AR_PHASE_UPDATE };
enum ar_what { AR_WHAT_PARAMETERS, AR_WHAT_GRADIENTS };

struct ar_event {
    enum ar_phase phase;
    int layer; /* index into the model */
    enum ar_collective_id collective;
    int root;         /* 0 where the collective has none */
    int64_t elements; /* of the full vector: the layer's parameters */
    enum ar_what what;
};

/* Starts zeroed, released with ar_training_plan_free. */
struct ar_training_plan {
    struct ar_event *event;
    int nevents, capacity;
};

struct ar_strategy {
    const char *name, *title; /* "zero1", and what papers call it: "ZeRO-1" */
    const char *summary, *source;
    /* Appends one step's events, layer by layer. */
    void (*plan)(const struct ar_model *model, int nranks, struct ar_training_plan *plan);
    /* What one step sends in total, in units of (N-1) n for a model of n bytes: the same whatever its layers,
     * with any algorithm that sends nothing twice. */
    int vectors;
    /* What ranks keep between steps; the optimizer's state and the master weights stay together. */
    enum ar_sharding parameters, gradients, updated;
    /* The algorithm for every collective when the user gives none: "linear"; NULL: the program's default. */
    const char *algorithm;
};

/* The descriptors by name: ar_strategy_ps, ar_strategy_ddp, ... */
#define AR_STRATEGY(name) extern const struct ar_strategy ar_strategy_##name;
#include "sim/training/strategies.def"
#undef AR_STRATEGY

/* All of them, in the order of strategies.def. */
extern const struct ar_strategy *const ar_strategies[];
extern const int ar_nstrategies;

/* NULL when there is none of that name. */
const struct ar_strategy *ar_strategy_find(const char *name);

/* Appends what a step asks for per layer, from the plan: "2 allgather, reduce_scatter". `names` (or NULL) has
 * other names for some of the collectives. */
void ar_strategy_collectives(const struct ar_strategy *strategy, const char *const names[AR_NCOLLECTIVES],
                             struct ar_text *text);

/* The model states that `rank` keeps between steps. */
struct ar_memory ar_strategy_memory(const struct ar_strategy *strategy, const struct ar_model *model,
                                    int nranks, struct ar_state_bytes bytes, int rank);

/* The same of the rank that keeps most. */
struct ar_memory ar_strategy_memory_max(const struct ar_strategy *strategy, const struct ar_model *model,
                                        int nranks, struct ar_state_bytes bytes);

/* Appends `collective` on one whole layer of the model. */
void ar_training_plan_layer(struct ar_training_plan *plan, const struct ar_model *model, enum ar_phase phase,
                            int layer, enum ar_collective_id collective, int root, enum ar_what what);

void ar_training_plan_add(struct ar_training_plan *plan, struct ar_event event);
void ar_training_plan_free(struct ar_training_plan *plan);
