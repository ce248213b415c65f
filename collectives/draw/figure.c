#include "collectives/draw/figure.h"

#include <inttypes.h>

#include "collectives/draw/frame.h"

enum ar_status ar_figure_fits(const struct ar_history *h, struct ar_error *error)
{
    if (h->nranks <= AR_FIGURE_RANKS && h->nbusy <= AR_FIGURE_ROUNDS && h->nblocks <= AR_FIGURE_BLOCKS)
        return AR_OK;
    return ar_fail(error, AR_INVALID,
                   "a figure has room for %d ranks, %d rounds and %d blocks, got %d, %" PRId64 " and %" PRId64
                   "; try fewer ranks or longer segments",
                   AR_FIGURE_RANKS, AR_FIGURE_ROUNDS, AR_FIGURE_BLOCKS, h->nranks, h->nbusy, h->nblocks);
}

void ar_draw_figure(const struct ar_history *history, bool rounds, bool time, const char *pace,
                    struct ar_text *svg)
{
    struct ar_frame frame = {0};
    struct ar_text name = {0};
    ar_frame_title(&frame, history, time ? pace : NULL);
    if (rounds)
        ar_frame_rounds(&frame, history);
    if (time)
        ar_frame_time(&frame, history);
    ar_schedule_describe(history->schedule, &name);
    ar_canvas_end(&frame.canvas, AR_WIDTH, frame.y, name.data, svg);
    ar_text_free(&name);
}
