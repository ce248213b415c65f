/* This machine, as hwloc sees it: what the first line of every run names. */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"

struct ar_machine {
    char host[64];
    char processor[96]; /* model name, or "unknown processor" */
    int cores, hardware_threads;
    uint64_t memory_bytes;
    int bound_cores;  /* cores this process may run on */
    char binding[64]; /* "core 0", "cores 0-1", "not bound" */
};

enum ar_status ar_machine_read(struct ar_machine *machine, struct ar_error *error);
