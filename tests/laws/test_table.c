/* Schedules against numbers that an independent symbolic simulator produced. */
#include <criterion/criterion.h>
#include <math.h>

#include "collectives/base/text.h"
#include "collectives/cost.h"
#include "collectives/registry.h"

/* Machine-checked schedule table: n = 48 P elements, root 0. Critical path: the sum over the rounds of the
 * most elements that one rank sends or receives in it. */
struct row {
    const struct ar_algorithm *algorithm;
    int nranks;
    int64_t rounds, most_sent_messages, messages, most_sent, sent, most_reduced, critical_path;
    int64_t param; /* the first, where it is not 0 */
};

static const struct row table[] = {
    /* clang-format off */
    /* ranks; rounds; messages sent by a rank at most, by all; elements sent by a rank at most, by all;
     * elements reduced by a rank at most; critical path. Rabenseifner's all-reduce: with 1 as Open MPI folds
     * in (half), without as MPICH does (full). The binomial broadcast: in both shapes. */
    {&ar_broadcast_binomial, 2, 1, 1, 1, 96, 96, 0, 96},
    {&ar_broadcast_binomial, 3, 2, 2, 2, 288, 288, 0, 288},
    {&ar_broadcast_binomial, 4, 2, 2, 3, 384, 576, 0, 384},
    {&ar_broadcast_binomial, 5, 3, 3, 4, 720, 960, 0, 720},
    {&ar_broadcast_binomial, 6, 3, 3, 5, 864, 1440, 0, 864},
    {&ar_broadcast_binomial, 7, 3, 3, 6, 1008, 2016, 0, 1008},
    {&ar_broadcast_binomial, 8, 3, 3, 7, 1152, 2688, 0, 1152},
    {&ar_broadcast_binomial, 9, 4, 4, 8, 1728, 3456, 0, 1728},
    {&ar_broadcast_binomial, 16, 4, 4, 15, 3072, 11520, 0, 3072},
    {&ar_broadcast_binomial, 2, 1, 1, 1, 96, 96, 0, 96, 1},
    {&ar_broadcast_binomial, 3, 2, 2, 2, 288, 288, 0, 288, 1},
    {&ar_broadcast_binomial, 4, 2, 2, 3, 384, 576, 0, 384, 1},
    {&ar_broadcast_binomial, 5, 3, 3, 4, 720, 960, 0, 720, 1},
    {&ar_broadcast_binomial, 6, 3, 3, 5, 864, 1440, 0, 864, 1},
    {&ar_broadcast_binomial, 7, 3, 3, 6, 1008, 2016, 0, 1008, 1},
    {&ar_broadcast_binomial, 8, 3, 3, 7, 1152, 2688, 0, 1152, 1},
    {&ar_broadcast_binomial, 9, 4, 4, 8, 1728, 3456, 0, 1728, 1},
    {&ar_broadcast_binomial, 16, 4, 4, 15, 3072, 11520, 0, 3072, 1},
    {&ar_reduce_binomial, 2, 1, 1, 1, 96, 96, 96, 96},
    {&ar_reduce_binomial, 3, 2, 1, 2, 144, 288, 288, 288},
    {&ar_reduce_binomial, 4, 2, 1, 3, 192, 576, 384, 384},
    {&ar_reduce_binomial, 5, 3, 1, 4, 240, 960, 720, 720},
    {&ar_reduce_binomial, 6, 3, 1, 5, 288, 1440, 864, 864},
    {&ar_reduce_binomial, 7, 3, 1, 6, 336, 2016, 1008, 1008},
    {&ar_reduce_binomial, 8, 3, 1, 7, 384, 2688, 1152, 1152},
    {&ar_reduce_binomial, 9, 4, 1, 8, 432, 3456, 1728, 1728},
    {&ar_reduce_binomial, 16, 4, 1, 15, 768, 11520, 3072, 3072},
    {&ar_allreduce_ring, 2, 2, 2, 4, 96, 192, 48, 96},
    {&ar_allreduce_ring, 3, 4, 4, 12, 192, 576, 96, 192},
    {&ar_allreduce_ring, 4, 6, 6, 24, 288, 1152, 144, 288},
    {&ar_allreduce_ring, 5, 8, 8, 40, 384, 1920, 192, 384},
    {&ar_allreduce_ring, 6, 10, 10, 60, 480, 2880, 240, 480},
    {&ar_allreduce_ring, 7, 12, 12, 84, 576, 4032, 288, 576},
    {&ar_allreduce_ring, 8, 14, 14, 112, 672, 5376, 336, 672},
    {&ar_allreduce_ring, 9, 16, 16, 144, 768, 6912, 384, 768},
    {&ar_allreduce_ring, 16, 30, 30, 480, 1440, 23040, 720, 1440},
    {&ar_reduce_scatter_ring, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_ring, 3, 2, 2, 6, 96, 288, 96, 96},
    {&ar_reduce_scatter_ring, 4, 3, 3, 12, 144, 576, 144, 144},
    {&ar_reduce_scatter_ring, 5, 4, 4, 20, 192, 960, 192, 192},
    {&ar_reduce_scatter_ring, 6, 5, 5, 30, 240, 1440, 240, 240},
    {&ar_reduce_scatter_ring, 7, 6, 6, 42, 288, 2016, 288, 288},
    {&ar_reduce_scatter_ring, 8, 7, 7, 56, 336, 2688, 336, 336},
    {&ar_reduce_scatter_ring, 9, 8, 8, 72, 384, 3456, 384, 384},
    {&ar_reduce_scatter_ring, 16, 15, 15, 240, 720, 11520, 720, 720},
    {&ar_allgather_ring, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_ring, 3, 2, 2, 6, 96, 288, 0, 96},
    {&ar_allgather_ring, 4, 3, 3, 12, 144, 576, 0, 144},
    {&ar_allgather_ring, 5, 4, 4, 20, 192, 960, 0, 192},
    {&ar_allgather_ring, 6, 5, 5, 30, 240, 1440, 0, 240},
    {&ar_allgather_ring, 7, 6, 6, 42, 288, 2016, 0, 288},
    {&ar_allgather_ring, 8, 7, 7, 56, 336, 2688, 0, 336},
    {&ar_allgather_ring, 9, 8, 8, 72, 384, 3456, 0, 384},
    {&ar_allgather_ring, 16, 15, 15, 240, 720, 11520, 0, 720},
    {&ar_broadcast_scatter_allgather, 2, 2, 2, 3, 96, 144, 0, 96},
    {&ar_broadcast_scatter_allgather, 3, 4, 4, 8, 192, 384, 0, 192},
    {&ar_broadcast_scatter_allgather, 4, 5, 5, 15, 288, 768, 0, 288},
    {&ar_broadcast_scatter_allgather, 5, 7, 7, 24, 384, 1200, 0, 384},
    {&ar_broadcast_scatter_allgather, 6, 8, 8, 35, 480, 1776, 0, 480},
    {&ar_broadcast_scatter_allgather, 7, 9, 9, 48, 576, 2448, 0, 576},
    {&ar_broadcast_scatter_allgather, 8, 10, 10, 63, 672, 3264, 0, 672},
    {&ar_broadcast_scatter_allgather, 9, 12, 12, 80, 768, 4080, 0, 768},
    {&ar_broadcast_scatter_allgather, 16, 19, 19, 255, 1440, 13056, 0, 1440},
    {&ar_reduce_rabenseifner, 2, 2, 2, 3, 96, 144, 48, 96},
    {&ar_reduce_rabenseifner, 4, 4, 3, 11, 240, 768, 144, 288},
    {&ar_reduce_rabenseifner, 8, 6, 4, 31, 528, 3264, 336, 672},
    {&ar_reduce_rabenseifner, 16, 8, 5, 79, 1104, 13056, 720, 1440},
    {&ar_allreduce_recursive_doubling, 2, 1, 1, 2, 96, 192, 96, 96},
    {&ar_allreduce_recursive_doubling, 3, 3, 2, 4, 288, 576, 288, 432},
    {&ar_allreduce_recursive_doubling, 4, 2, 2, 8, 384, 1536, 384, 384},
    {&ar_allreduce_recursive_doubling, 5, 4, 3, 10, 720, 2400, 720, 960},
    {&ar_allreduce_recursive_doubling, 6, 4, 3, 12, 864, 3456, 864, 1152},
    {&ar_allreduce_recursive_doubling, 7, 4, 3, 14, 1008, 4704, 1008, 1344},
    {&ar_allreduce_recursive_doubling, 8, 3, 3, 24, 1152, 9216, 1152, 1152},
    {&ar_allreduce_recursive_doubling, 9, 5, 4, 26, 1728, 11232, 1728, 2160},
    {&ar_allreduce_recursive_doubling, 16, 4, 4, 64, 3072, 49152, 3072, 3072},
    {&ar_allreduce_rabenseifner, 2, 2, 2, 4, 96, 192, 48, 96, 1},
    {&ar_allreduce_rabenseifner, 3, 5, 4, 8, 360, 648, 144, 432, 1},
    {&ar_allreduce_rabenseifner, 4, 4, 4, 16, 288, 1152, 144, 288, 1},
    {&ar_allreduce_rabenseifner, 5, 7, 6, 20, 720, 2040, 300, 840, 1},
    {&ar_allreduce_rabenseifner, 6, 7, 6, 24, 864, 3168, 360, 1008, 1},
    {&ar_allreduce_rabenseifner, 7, 7, 6, 28, 1008, 4536, 420, 1176, 1},
    {&ar_allreduce_rabenseifner, 8, 6, 6, 48, 672, 5376, 336, 672, 1},
    {&ar_allreduce_rabenseifner, 9, 9, 8, 52, 1404, 7128, 594, 1620, 1},
    {&ar_allreduce_rabenseifner, 16, 8, 8, 128, 1440, 23040, 720, 1440, 1},
    {&ar_allreduce_rabenseifner, 2, 2, 2, 4, 96, 192, 48, 96},
    {&ar_allreduce_rabenseifner, 3, 4, 3, 6, 288, 576, 216, 432},
    {&ar_allreduce_rabenseifner, 4, 4, 4, 16, 288, 1152, 144, 288},
    {&ar_allreduce_rabenseifner, 5, 6, 5, 18, 600, 1920, 420, 840},
    {&ar_allreduce_rabenseifner, 6, 6, 5, 20, 720, 2880, 504, 1008},
    {&ar_allreduce_rabenseifner, 7, 6, 5, 22, 840, 4032, 588, 1176},
    {&ar_allreduce_rabenseifner, 8, 6, 6, 48, 672, 5376, 336, 672},
    {&ar_allreduce_rabenseifner, 9, 8, 7, 50, 1188, 6912, 810, 1620},
    {&ar_allreduce_rabenseifner, 16, 8, 8, 128, 1440, 23040, 720, 1440},
    {&ar_reduce_scatter_recursive_halving, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_recursive_halving, 3, 3, 2, 4, 144, 336, 240, 288},
    {&ar_reduce_scatter_recursive_halving, 4, 2, 2, 8, 144, 576, 144, 144},
    {&ar_reduce_scatter_recursive_halving, 5, 4, 3, 10, 240, 1008, 480, 528},
    {&ar_reduce_scatter_recursive_halving, 6, 4, 3, 12, 288, 1536, 576, 624},
    {&ar_reduce_scatter_recursive_halving, 7, 4, 3, 14, 336, 2160, 624, 672},
    {&ar_reduce_scatter_recursive_halving, 8, 3, 3, 24, 336, 2688, 336, 336},
    {&ar_reduce_scatter_recursive_halving, 9, 5, 4, 26, 432, 3504, 912, 960},
    {&ar_reduce_scatter_recursive_halving, 16, 4, 4, 64, 720, 11520, 720, 720},
    {&ar_reduce_scatter_pairwise, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_pairwise, 3, 2, 2, 6, 96, 288, 96, 96},
    {&ar_reduce_scatter_pairwise, 4, 3, 3, 12, 144, 576, 144, 144},
    {&ar_reduce_scatter_pairwise, 5, 4, 4, 20, 192, 960, 192, 192},
    {&ar_reduce_scatter_pairwise, 6, 5, 5, 30, 240, 1440, 240, 240},
    {&ar_reduce_scatter_pairwise, 7, 6, 6, 42, 288, 2016, 288, 288},
    {&ar_reduce_scatter_pairwise, 8, 7, 7, 56, 336, 2688, 336, 336},
    {&ar_reduce_scatter_pairwise, 9, 8, 8, 72, 384, 3456, 384, 384},
    {&ar_reduce_scatter_pairwise, 16, 15, 15, 240, 720, 11520, 720, 720},
    {&ar_allgather_recursive_doubling, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_recursive_doubling, 4, 2, 2, 8, 144, 576, 0, 144},
    {&ar_allgather_recursive_doubling, 8, 3, 3, 24, 336, 2688, 0, 336},
    {&ar_allgather_recursive_doubling, 16, 4, 4, 64, 720, 11520, 0, 720},
    {&ar_allgather_bruck, 2, 1, 1, 2, 48, 96, 0, 48, 2},
    {&ar_allgather_bruck, 3, 2, 2, 6, 96, 288, 0, 96, 2},
    {&ar_allgather_bruck, 4, 2, 2, 8, 144, 576, 0, 144, 2},
    {&ar_allgather_bruck, 5, 3, 3, 15, 192, 960, 0, 192, 2},
    {&ar_allgather_bruck, 6, 3, 3, 18, 240, 1440, 0, 240, 2},
    {&ar_allgather_bruck, 7, 3, 3, 21, 288, 2016, 0, 288, 2},
    {&ar_allgather_bruck, 8, 3, 3, 24, 336, 2688, 0, 336, 2},
    {&ar_allgather_bruck, 9, 4, 4, 36, 384, 3456, 0, 384, 2},
    {&ar_allgather_bruck, 16, 4, 4, 64, 720, 11520, 0, 720, 2},
    {&ar_allgather_neighbor_exchange, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_neighbor_exchange, 4, 2, 2, 8, 144, 576, 0, 144},
    {&ar_allgather_neighbor_exchange, 6, 3, 3, 18, 240, 1440, 0, 240},
    {&ar_allgather_neighbor_exchange, 8, 4, 4, 32, 336, 2688, 0, 336},
    {&ar_allgather_neighbor_exchange, 16, 8, 8, 128, 720, 11520, 0, 720},
    {&ar_reduce_scatter_butterfly, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_butterfly, 3, 3, 2, 4, 144, 336, 240, 288},
    {&ar_reduce_scatter_butterfly, 4, 3, 3, 10, 192, 672, 144, 192},
    {&ar_reduce_scatter_butterfly, 5, 4, 3, 12, 240, 1104, 480, 528},
    {&ar_reduce_scatter_butterfly, 6, 4, 4, 14, 288, 1632, 576, 672},
    {&ar_reduce_scatter_butterfly, 7, 4, 4, 16, 336, 2256, 624, 720},
    {&ar_reduce_scatter_butterfly, 8, 4, 4, 28, 384, 2880, 336, 384},
    {&ar_reduce_scatter_butterfly, 9, 5, 4, 30, 432, 3696, 912, 960},
    {&ar_reduce_scatter_butterfly, 16, 5, 5, 76, 768, 12096, 720, 768},
    {&ar_reduce_scatter_circulant, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_circulant, 3, 2, 2, 6, 96, 288, 96, 96},
    {&ar_reduce_scatter_circulant, 4, 2, 2, 8, 144, 576, 144, 144},
    {&ar_reduce_scatter_circulant, 5, 3, 3, 15, 192, 960, 192, 192},
    {&ar_reduce_scatter_circulant, 6, 3, 3, 18, 240, 1440, 240, 240},
    {&ar_reduce_scatter_circulant, 7, 3, 3, 21, 288, 2016, 288, 288},
    {&ar_reduce_scatter_circulant, 8, 3, 3, 24, 336, 2688, 336, 336},
    {&ar_reduce_scatter_circulant, 9, 4, 4, 36, 384, 3456, 384, 384},
    {&ar_reduce_scatter_circulant, 16, 4, 4, 64, 720, 11520, 720, 720},
    {&ar_allreduce_circulant, 2, 2, 2, 4, 96, 192, 48, 96},
    {&ar_allreduce_circulant, 3, 4, 4, 12, 192, 576, 96, 192},
    {&ar_allreduce_circulant, 4, 4, 4, 16, 288, 1152, 144, 288},
    {&ar_allreduce_circulant, 5, 6, 6, 30, 384, 1920, 192, 384},
    {&ar_allreduce_circulant, 6, 6, 6, 36, 480, 2880, 240, 480},
    {&ar_allreduce_circulant, 7, 6, 6, 42, 576, 4032, 288, 576},
    {&ar_allreduce_circulant, 8, 6, 6, 48, 672, 5376, 336, 672},
    {&ar_allreduce_circulant, 9, 8, 8, 72, 768, 6912, 384, 768},
    {&ar_allreduce_circulant, 16, 8, 8, 128, 1440, 23040, 720, 1440},
    {&ar_allreduce_swing, 2, 1, 1, 2, 96, 192, 96, 96, 1},
    {&ar_allreduce_swing, 4, 2, 2, 8, 384, 1536, 384, 384, 1},
    {&ar_allreduce_swing, 8, 3, 3, 24, 1152, 9216, 1152, 1152, 1},
    {&ar_allreduce_swing, 16, 4, 4, 64, 3072, 49152, 3072, 3072, 1},
    {&ar_allreduce_swing, 2, 2, 2, 4, 96, 192, 48, 96},
    {&ar_allreduce_swing, 4, 4, 4, 16, 288, 1152, 144, 288},
    {&ar_allreduce_swing, 6, 6, 6, 36, 480, 2880, 240, 480},
    {&ar_allreduce_swing, 8, 6, 6, 48, 672, 5376, 336, 672},
    {&ar_allreduce_swing, 16, 8, 8, 128, 1440, 23040, 720, 1440},
    {&ar_allreduce_recursive_multiplying, 3, 1, 2, 6, 288, 864, 288, 288, 3},
    {&ar_allreduce_recursive_multiplying, 4, 3, 3, 8, 576, 1536, 576, 768, 3},
    {&ar_allreduce_recursive_multiplying, 5, 3, 3, 10, 720, 2400, 720, 960, 3},
    {&ar_allreduce_recursive_multiplying, 6, 3, 3, 12, 864, 3456, 864, 1152, 3},
    {&ar_allreduce_recursive_multiplying, 7, 3, 4, 14, 1344, 4704, 1344, 2016, 3},
    {&ar_allreduce_recursive_multiplying, 8, 3, 4, 16, 1536, 6144, 1536, 2304, 3},
    {&ar_allreduce_recursive_multiplying, 9, 2, 4, 36, 1728, 15552, 1728, 1728, 3},
    {&ar_allreduce_recursive_multiplying, 16, 4, 5, 50, 3840, 38400, 3840, 4608, 3},
    {&ar_allreduce_recursive_multiplying, 4, 1, 3, 12, 576, 2304, 576, 576, 4},
    {&ar_allreduce_recursive_multiplying, 5, 3, 4, 14, 960, 3360, 960, 1200, 4},
    {&ar_allreduce_recursive_multiplying, 6, 3, 4, 16, 1152, 4608, 1152, 1440, 4},
    {&ar_allreduce_recursive_multiplying, 7, 3, 4, 18, 1344, 6048, 1344, 1680, 4},
    {&ar_allreduce_recursive_multiplying, 8, 3, 4, 20, 1536, 7680, 1536, 1920, 4},
    {&ar_allreduce_recursive_multiplying, 9, 3, 5, 22, 2160, 9504, 2160, 3024, 4},
    {&ar_allreduce_recursive_multiplying, 16, 2, 6, 96, 4608, 73728, 4608, 4608, 4},
    {&ar_allreduce_recursive_multiplying, 4, 2, 2, 8, 384, 1536, 384, 384, 2},
    {&ar_allreduce_recursive_multiplying, 8, 3, 3, 24, 1152, 9216, 1152, 1152, 2},
    {&ar_allreduce_recursive_multiplying, 16, 4, 4, 64, 3072, 49152, 3072, 3072, 2},
    {&ar_allreduce_multi_ring, 8, 14, 28, 224, 672, 5376, 336, 672, 2},
    {&ar_reduce_scatter_swing, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_swing, 4, 2, 2, 8, 144, 576, 144, 144},
    {&ar_reduce_scatter_swing, 6, 3, 3, 18, 240, 1440, 240, 240},
    {&ar_reduce_scatter_swing, 8, 3, 3, 24, 336, 2688, 336, 336},
    {&ar_reduce_scatter_swing, 16, 4, 4, 64, 720, 11520, 720, 720},
    {&ar_allgather_bruck, 2, 1, 1, 2, 48, 96, 0, 48, 3},
    {&ar_allgather_bruck, 3, 1, 2, 6, 96, 288, 0, 96, 3},
    {&ar_allgather_bruck, 4, 2, 3, 12, 144, 576, 0, 144, 3},
    {&ar_allgather_bruck, 5, 2, 3, 15, 192, 960, 0, 192, 3},
    {&ar_allgather_bruck, 6, 2, 3, 18, 240, 1440, 0, 240, 3},
    {&ar_allgather_bruck, 7, 2, 4, 28, 288, 2016, 0, 288, 3},
    {&ar_allgather_bruck, 8, 2, 4, 32, 336, 2688, 0, 336, 3},
    {&ar_allgather_bruck, 9, 2, 4, 36, 384, 3456, 0, 384, 3},
    {&ar_allgather_bruck, 16, 3, 5, 80, 720, 11520, 0, 720, 3},
    {&ar_allgather_bruck, 2, 1, 1, 2, 48, 96, 0, 48, 4},
    {&ar_allgather_bruck, 3, 1, 2, 6, 96, 288, 0, 96, 4},
    {&ar_allgather_bruck, 4, 1, 3, 12, 144, 576, 0, 144, 4},
    {&ar_allgather_bruck, 5, 2, 4, 20, 192, 960, 0, 192, 4},
    {&ar_allgather_bruck, 6, 2, 4, 24, 240, 1440, 0, 240, 4},
    {&ar_allgather_bruck, 7, 2, 4, 28, 288, 2016, 0, 288, 4},
    {&ar_allgather_bruck, 8, 2, 4, 32, 336, 2688, 0, 336, 4},
    {&ar_allgather_bruck, 9, 2, 5, 45, 384, 3456, 0, 384, 4},
    {&ar_allgather_bruck, 16, 2, 6, 96, 720, 11520, 0, 720, 4},
    /* Sparbit: one message per pair and round, published as one per block. */
    {&ar_allgather_sparbit, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_sparbit, 3, 2, 2, 6, 96, 288, 0, 96},
    {&ar_allgather_sparbit, 4, 2, 2, 8, 144, 576, 0, 144},
    {&ar_allgather_sparbit, 5, 3, 3, 15, 192, 960, 0, 192},
    {&ar_allgather_sparbit, 6, 3, 3, 18, 240, 1440, 0, 240},
    {&ar_allgather_sparbit, 7, 3, 3, 21, 288, 2016, 0, 288},
    {&ar_allgather_sparbit, 8, 3, 3, 24, 336, 2688, 0, 336},
    {&ar_allgather_sparbit, 9, 4, 4, 36, 384, 3456, 0, 384},
    {&ar_allgather_sparbit, 16, 4, 4, 64, 720, 11520, 0, 720},
    {&ar_allgather_swing, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_swing, 4, 2, 2, 8, 144, 576, 0, 144},
    {&ar_allgather_swing, 6, 3, 3, 18, 240, 1440, 0, 240},
    {&ar_allgather_swing, 8, 3, 3, 24, 336, 2688, 0, 336},
    {&ar_allgather_swing, 16, 4, 4, 64, 720, 11520, 0, 720},
    {&ar_broadcast_scatter_recursive_doubling, 2, 2, 2, 3, 96, 144, 0, 96},
    {&ar_broadcast_scatter_recursive_doubling, 4, 4, 4, 11, 288, 768, 0, 288},
    {&ar_broadcast_scatter_recursive_doubling, 8, 6, 6, 31, 672, 3264, 0, 672},
    {&ar_broadcast_scatter_recursive_doubling, 16, 8, 8, 79, 1440, 13056, 0, 1440},
    /* Four groups of 8 ranks; a torus of 4x4. */
    {&ar_allreduce_hierarchical, 32, 12, 9, 80, 6912, 95232, 5760, 11520, 8},
    {&ar_allreduce_split_rail, 32, 20, 20, 640, 2976, 95232, 1488, 2976, 8},
    {&ar_allreduce_bucket, 16, 12, 12, 192, 1440, 23040, 720, 1440},
    /* To the base 2 it is recursive doubling. */
    {&ar_allreduce_recexch, 3, 3, 2, 4, 288, 576, 288, 432, 2},
    {&ar_allreduce_recexch, 5, 4, 3, 10, 720, 2400, 720, 960, 2},
    {&ar_allreduce_recexch, 6, 4, 3, 12, 864, 3456, 864, 1152, 2},
    {&ar_allreduce_recexch, 7, 4, 3, 14, 1008, 4704, 1008, 1344, 2},
    {&ar_allreduce_recexch, 8, 3, 3, 24, 1152, 9216, 1152, 1152, 2},
    {&ar_allreduce_recexch, 9, 5, 4, 26, 1728, 11232, 1728, 2160, 2},
    /* clang-format on */
};

/* Every word and number of a parameter is 0 or as the row says; bytes are one segment. */
static struct ar_problem problem_of(const struct row *row)
{
    struct ar_problem problem = {.nranks = row->nranks, .param = {row->param}};
    for (int i = 0; i < row->algorithm->nparams; i++)
        if (row->algorithm->params[i].unit == AR_PARAM_BYTES)
            problem.param[i] = 1;
    return problem;
}

static struct ar_schedule_cost measured(const struct row *row)
{
    struct ar_problem problem = problem_of(row);
    struct ar_schedule schedule;
    struct ar_layout layout;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, row->algorithm, &problem, &error), AR_OK, "%s",
                 error.text);
    cr_assert_eq(ar_schedule_layout(&schedule, 48 * row->nranks, NULL, NULL, &layout, &error), AR_OK, "%s",
                 error.text);
    struct ar_schedule_cost cost = ar_cost_of_schedule(&schedule, &layout);
    ar_schedule_free(&schedule);
    return cost;
}

Test(table, schedules_have_the_published_rounds_messages_and_elements)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row *expected = &table[i];
        struct ar_schedule_cost cost = measured(expected);
        struct ar_text name = {0};
        ar_text_add(&name, "%s:%s, %d ranks", ar_collectives[expected->algorithm->collective].name,
                    expected->algorithm->name, expected->nranks);
        cr_expect_eq(cost.rounds, expected->rounds, "%s: rounds", name.data);
        cr_expect_eq(cost.messages_sent_max, expected->most_sent_messages, "%s: messages of a rank",
                     name.data);
        cr_expect_eq(cost.messages_total, expected->messages, "%s: messages", name.data);
        cr_expect_eq(cost.elements_sent_max, expected->most_sent, "%s: elements sent by a rank", name.data);
        cr_expect_eq(cost.elements_sent_total, expected->sent, "%s: elements sent", name.data);
        cr_expect_eq(cost.elements_reduced_max, expected->most_reduced, "%s: elements reduced by a rank",
                     name.data);
        cr_expect_eq(cost.critical_elements, expected->critical_path, "%s: critical path", name.data);
        ar_text_free(&name);
    }
}

/* ---- The published closed forms ------------------------------------------------------------------------ */

/* With Q = floor(log2 P) and n the vector: rounds, critical path / n and most combined by a rank / n, and
 * where published the messages of all ranks. */
struct form {
    const struct ar_algorithm *algorithm;
    int64_t param;
    struct ar_cost (*cost)(double P, double Q);
    double (*messages)(double P, double Q);
};

static bool is_power(double P, double Q)
{
    return P == exp2(Q);
}

static double ceil_log2(double P, double Q)
{
    return is_power(P, Q) ? Q : Q + 1;
}

static struct ar_cost doubling(double P, double Q)
{
    return is_power(P, Q) ? (struct ar_cost){Q, Q, Q} : (struct ar_cost){Q + 2, Q + 2, Q + 1};
}

static double doubling_messages(double P, double Q)
{
    return exp2(Q) * Q + 2 * (P - exp2(Q));
}

static struct ar_cost ring(double P, double Q)
{
    (void)Q;
    return (struct ar_cost){2 * (P - 1), 2 * (P - 1) / P, (P - 1) / P};
}

static double ring_messages(double P, double Q)
{
    (void)Q;
    return 2 * (P - 1) * P;
}

static struct ar_cost rabenseifner_full(double P, double Q)
{
    if (is_power(P, Q))
        return (struct ar_cost){2 * Q, 2 * (P - 1) / P, (P - 1) / P};
    return (struct ar_cost){2 * Q + 2, 4 - 2 / exp2(Q), 2 - 1 / exp2(Q)};
}

static struct ar_cost rabenseifner_half(double P, double Q)
{
    if (is_power(P, Q))
        return rabenseifner_full(P, Q);
    return (struct ar_cost){2 * Q + 3, 4 - 2 / exp2(Q), 1.5 - 1 / exp2(Q)};
}

static struct ar_cost bruck(double P, double Q)
{
    return (struct ar_cost){ceil_log2(P, Q), (P - 1) / P, 0};
}

static double bruck_messages(double P, double Q)
{
    return ceil_log2(P, Q) * P;
}

static struct ar_cost scatter_ring(double P, double Q)
{
    return (struct ar_cost){ceil_log2(P, Q) + P - 1, 2 * (P - 1) / P, 0};
}

static struct ar_cost neighbors(double P, double Q)
{
    (void)Q;
    return (struct ar_cost){P / 2, (P - 1) / P, 0};
}

static struct ar_cost circulant_reduce_scatter(double P, double Q)
{
    return (struct ar_cost){ceil_log2(P, Q), (P - 1) / P, (P - 1) / P};
}

static struct ar_cost circulant_allreduce(double P, double Q)
{
    return (struct ar_cost){2 * ceil_log2(P, Q), 2 * (P - 1) / P, (P - 1) / P};
}

static double circulant_allreduce_messages(double P, double Q)
{
    return 2 * ceil_log2(P, Q) * P;
}

static struct ar_cost scatter_circulant(double P, double Q)
{
    return (struct ar_cost){2 * ceil_log2(P, Q), 2 * (P - 1) / P, 0};
}

static struct ar_cost doubling_reduce_scatter(double P, double Q)
{
    return (struct ar_cost){Q, Q - (P - 1) / P, Q - (P - 1) / P};
}

static const struct form forms[] = {
    {&ar_allreduce_recursive_doubling, 0, doubling, doubling_messages},
    {&ar_allreduce_ring, 0, ring, ring_messages},
    {&ar_allreduce_rabenseifner, 0, rabenseifner_full, NULL},
    {&ar_allreduce_rabenseifner, 1, rabenseifner_half, NULL},
    {&ar_allgather_bruck, 2, bruck, bruck_messages},
    {&ar_allgather_circulant, 0, bruck, bruck_messages},
    {&ar_broadcast_scatter_recursive_doubling, 0, scatter_circulant, NULL},
    {&ar_broadcast_scatter_circulant, 0, scatter_circulant, NULL},
    {&ar_reduce_circulant_gather, 0, circulant_allreduce, NULL},
    {&ar_reduce_scatter_circulant, 0, circulant_reduce_scatter, bruck_messages},
    {&ar_reduce_scatter_recursive_doubling, 0, doubling_reduce_scatter, bruck_messages},
    {&ar_allreduce_circulant, 0, circulant_allreduce, circulant_allreduce_messages},
    {&ar_broadcast_scatter_allgather, 0, scatter_ring, NULL},
    {&ar_allgather_neighbor_exchange, 0, neighbors, NULL},
};

Test(table, closed_forms_are_the_published_ones)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int P = 2; P <= 70; P++) {
            const struct row row = {.algorithm = forms[i].algorithm, .nranks = P, .param = forms[i].param};
            if (ar_algorithm_admits(row.algorithm, P, NULL) != AR_OK)
                continue;
            double Q = floor(log2(P)), n = 48 * P;
            struct ar_problem problem = problem_of(&row);
            struct ar_cost published = forms[i].cost(P, Q), declared = row.algorithm->cost(&problem);
            cr_expect(fabs(declared.alpha - published.alpha) + fabs(declared.beta - published.beta) +
                              fabs(declared.gamma - published.gamma) <
                          1e-12,
                      "%s, %d ranks: declared %g %g %g", row.algorithm->name, P, declared.alpha,
                      declared.beta, declared.gamma);
            if (row.algorithm->parts && (48 * P) % row.algorithm->parts(&problem) != 0)
                continue; /* measured with equal blocks only */
            struct ar_schedule_cost cost = measured(&row);
            cr_expect_eq((double)cost.rounds, published.alpha, "%s, %d ranks", row.algorithm->name, P);
            cr_expect(fabs((double)cost.critical_elements - published.beta * n) < 1e-6, "%s, %d ranks",
                      row.algorithm->name, P);
            cr_expect(fabs((double)cost.elements_reduced_max - published.gamma * n) < 1e-6, "%s, %d ranks",
                      row.algorithm->name, P);
            if (forms[i].messages)
                cr_expect_eq((double)cost.messages_total, forms[i].messages(P, Q), "%s, %d ranks",
                             row.algorithm->name, P);
        }
}

/* Reduce by halving and gathering on 2^q ranks: 2q rounds, at most q + 1 messages of a rank, at most (P-1)/P
 * n
 * + n/2 sent by one, in all as much as the scatter and ring broadcast. */
Test(table, reduce_by_halving_sends_what_is_published)
{
    for (int q = 1; q <= 6; q++) {
        int P = 1 << q;
        const struct row reduce = {.algorithm = &ar_reduce_rabenseifner, .nranks = P};
        const struct row broadcast = {.algorithm = &ar_broadcast_scatter_allgather, .nranks = P};
        struct ar_schedule_cost cost = measured(&reduce);
        cr_expect_eq(cost.rounds, 2 * q, "%d ranks", P);
        cr_expect_eq(cost.messages_sent_max, q + 1, "%d ranks", P);
        cr_expect_eq(cost.elements_sent_max, 48 * (P - 1) + 24 * P, "%d ranks", P);
        cr_expect_eq(cost.elements_sent_total, measured(&broadcast).elements_sent_total, "%d ranks", P);
    }
}
