/* Memory for model states, in bytes per rank: parameters, gradients, optimizer state, master weights.
 *
 * Model states only: no activations, buckets, gathered layers or fragmentation. Numbers are doubles because
 * the formulas divide parameters evenly over the ranks, as the papers do (Rajbhandari et al., ZeRO, SC'20,
 * section 5).
 */
#pragma once

#include <stdint.h>

/* Bytes per parameter of each kind of state. */
struct ar_state_bytes {
    double parameters, gradients, master, optimizer;
};

struct ar_memory {
    double parameters, gradients, master, optimizer;
};

static inline double ar_memory_total(struct ar_memory m)
{
    return m.parameters + m.gradients + m.master + m.optimizer;
}

/* A rank that keeps the parameters and the gradients of so many parameters each, and the optimizer state and
 * master weights (which always stay together) of `updated`. */
static inline struct ar_memory ar_memory_of(struct ar_state_bytes bytes, double parameters, double gradients,
                                            double updated)
{
    return (struct ar_memory){bytes.parameters * parameters, bytes.gradients * gradients,
                              bytes.master * updated, bytes.optimizer * updated};
}

enum ar_optimizer { AR_SGD, AR_MOMENTUM, AR_ADAM };
enum ar_precision { AR_MIXED, AR_FP32 };

/* mixed: 2 + 2 bytes, 4 master, optimizer in fp32; fp32: 4 + 4, no master. Optimizer state: sgd 0, momentum
 * 4, adam 8. mixed Adam: 2 + 2 + 4 + 8 = 16; fp32 Adam: 4 + 4 + 0 + 8 = 16. */
struct ar_state_bytes ar_state_bytes(enum ar_optimizer optimizer, enum ar_precision precision);
