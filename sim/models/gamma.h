/* The parameter that every model has. */
#pragma once

#include "sim/models/model.h"

#define AR_COST_PARAM_GAMMA                                                                                  \
    {                                                                                                        \
        "gamma", "of combining a byte; 0: not priced", AR_QUANTITY_PER_BYTE, 1, false, 0                     \
    }
