#include "collectives/run/witness.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "collectives/base/memory.h"

/* Sends may be posted by any thread, so the sums are atomic; nothing is ordered by them. */
struct sum {
    _Atomic int64_t messages, bytes;
};

static struct sum library;
static struct sum *sent_to; /* our own tags, one per world rank */
static int npeers;
static atomic_bool observed;

static void add(struct sum *sum, int64_t bytes)
{
    atomic_fetch_add_explicit(&sum->messages, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sum->bytes, bytes, memory_order_relaxed);
}

static struct ar_witnessed read_sum(struct sum *sum)
{
    return (struct ar_witnessed){atomic_load_explicit(&sum->messages, memory_order_relaxed),
                                 atomic_load_explicit(&sum->bytes, memory_order_relaxed)};
}

/* ---- The symbol that Open MPI calls ------------------------------------------------------------------ */

typedef void record_function(int world_rank, size_t data_size, int tag);

/* Name and parameters are Open MPI's (common/monitoring); it declares them in no installed header. */
__attribute__((visibility("default"))) record_function mca_common_monitoring_record_pml;

/* The component's own function, which ours stands in front of. The component is loaded during MPI_Init, and
 * every call comes from it, so at the first call it is there. */
static record_function *component_function(void)
{
    static _Atomic(void *) found;
    void *function = atomic_load_explicit(&found, memory_order_relaxed);
    if (!function) {
        function = dlsym(RTLD_NEXT, "mca_common_monitoring_record_pml");
        atomic_store_explicit(&found, function, memory_order_relaxed);
    }
    /* POSIX gives functions as void *; ISO C has no cast for that. */
    union {
        void *object;
        record_function *function;
    } pun = {function};
    return pun.function;
}

void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag)
{
    atomic_store_explicit(&observed, true, memory_order_relaxed);
    if (tag < 0)
        add(&library, (int64_t)data_size);
    else if (world_rank >= 0 && world_rank < npeers)
        add(&sent_to[world_rank], (int64_t)data_size);
    record_function *next = component_function();
    if (next)
        next(world_rank, data_size, tag);
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

void ar_witness_enable(void)
{
    setenv("OMPI_MCA_pml_monitoring_enable", "1", 0);
}

void ar_witness_expect(int nranks)
{
    if (!sent_to) {
        sent_to = ar_alloc((size_t)nranks, sizeof *sent_to);
        npeers = nranks;
    }
}

struct ar_witnessed ar_witness_sent_to(int peer)
{
    return peer >= 0 && peer < npeers ? read_sum(&sent_to[peer]) : (struct ar_witnessed){0, 0};
}

struct ar_witnessed ar_witness_library(void)
{
    return read_sum(&library);
}

bool ar_witness_observed(void)
{
    return atomic_load_explicit(&observed, memory_order_relaxed);
}
