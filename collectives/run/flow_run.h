/* Executes a flow: starts what is ready, combines while transfers are under way. */
#pragma once

#include "collectives/run/flow.h"
#include "collectives/run/site.h"

struct ar_flow_run {
    const struct ar_flow *flow;
    struct ar_site *site;
    struct ar_shape **shape; /* per transfer task */
    int *waits;              /* per task: those it still waits for */
    int *next_ready;         /* per task: the list of work that may be done */
    int first_ready, last_ready;
    struct ar_stream_run *stream;
    int *task_of_slot, *vacant_slot, *finished; /* nslots each */
    int nslots, nvacant;
    const void **operand;
    bool begun;       /* the first transfers are started */
    size_t nleft;     /* tasks */
    size_t nadvances; /* tasks started and finished so far */
    int64_t k;        /* of the task that failed */
};

/* `run` zeroed. Makes shapes and slots; what it refers to must stay where it is. */
void ar_flow_run_prepare(struct ar_flow_run *run, const struct ar_flow *flow, struct ar_site *site);
void ar_flow_run_free(struct ar_flow_run *run);

void ar_flow_run_start(struct ar_flow_run *run);

/* Goes as far as it can; over a transport that waits: to the end, nleft == 0. */
enum ar_status ar_flow_run_progress(struct ar_flow_run *run, struct ar_error *error);
