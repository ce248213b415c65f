/* Memory for model states, in bytes per rank: parameters, gradients, optimizer state, master weights.
 *
 * Model states only: no activations, buckets, gathered layers or fragmentation.
 */
#pragma once

#include <stdint.h>

/* Bytes per parameter of each kind of state. */
struct ar_state_bytes {
    int parameters, gradients, master, optimizer;
};

enum ar_optimizer { AR_SGD, AR_MOMENTUM, AR_ADAM };
enum ar_precision { AR_MIXED, AR_FP32 };

/* mixed: 2 + 2 bytes, 4 master, optimizer in fp32; fp32: 4 + 4, no master. Optimizer state: sgd 0, momentum
 * 4, adam 8. mixed Adam: 2 + 2 + 4 + 8 = 16; fp32 Adam: 4 + 4 + 0 + 8 = 16. */
struct ar_state_bytes ar_state_bytes(enum ar_optimizer optimizer, enum ar_precision precision);

/* How the ranks share one kind of state. */
enum ar_sharding {
    AR_WHOLE,  /* every rank keeps all of it */
    AR_PART,   /* every rank keeps one part of every layer, the parts that collectives make: where N does not
                  divide a layer, early ranks keep one parameter more. The papers write Psi/N. */
    AR_SERVER, /* rank 0 keeps all, the others nothing */
    AR_OWNER,  /* ar_owner keeps the layer, the others nothing of it */
};

/* The rank that keeps layer l whole. */
static inline int ar_owner(int layer, int nranks)
{
    return layer % nranks;
}

/* What one rank keeps, exactly. */
struct ar_memory {
    int64_t parameters, gradients, master, optimizer;
};

static inline int64_t ar_memory_total(struct ar_memory m)
{
    return m.parameters + m.gradients + m.master + m.optimizer;
}
