/* This machine, as hwloc sees it: what the first line of every run names. */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"
#include "collectives/base/text.h"

struct ar_machine {
    char host[64];
    char boot[48];      /* the same for all that one running kernel calls hosts (containers); "" if unknown */
    char processor[96]; /* model name, or "unknown processor" */
    int cores, hardware_threads; /* that programs may use here; fewer than built in inside a container */
    uint64_t memory_bytes;       /* lowered by a cgroup limit where there is one */
    int bound_cores;             /* cores that the calling thread may run on */
    char binding[64];            /* "core 0", "cores 0-1,4", "not bound"; numbered as hwloc does, from 0 */
    char cpus[128]; /* the same set as the system's numbers of hardware threads, "0-1"; cut when longer */
};

/* Takes a few milliseconds. AR_SYSTEM when hwloc cannot read the machine. */
enum ar_status ar_machine_read(struct ar_machine *machine, struct ar_error *error);

/* Appends what there is to `drawing`, one thing a line and what is inside further in: sockets, NUMA nodes,
 * caches, cores, hardware threads. `description` gets the topology (topology.h) whose hosts are the cores and
 * whose switches are what holds several things; "crossbar:N" where the parts are not alike. Includes no I/O
 * devices. Takes tens of milliseconds. AR_SYSTEM. */
enum ar_status ar_machine_draw(struct ar_text *drawing, struct ar_text *description, struct ar_error *error);
