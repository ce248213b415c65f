#pragma once

#include <inttypes.h>

#include "collectives/base/text.h" /* struct ar_ranges lives there */
