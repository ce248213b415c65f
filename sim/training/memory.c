#include "sim/training/memory.h"

struct ar_state_bytes ar_state_bytes(enum ar_optimizer optimizer, enum ar_precision precision)
{
    static const int optimizer_bytes[] = {
        [AR_SGD] = 0,
        [AR_MOMENTUM] = 4, /* the velocity, fp32 */
        [AR_ADAM] = 8,     /* two moments, fp32 (Kingma, Ba, Adam, ICLR 2015) */
    };
    int state = optimizer_bytes[optimizer];
    if (precision == AR_FP32)
        return (struct ar_state_bytes){.parameters = 4, .gradients = 4, .optimizer = state};
    /* fp16 parameters and gradients, fp32 master weights: Micikevicius et al., Mixed precision training,
     * ICLR 2018, section 3.1 */
    return (struct ar_state_bytes){.parameters = 2, .gradients = 2, .master = 4, .optimizer = state};
}
