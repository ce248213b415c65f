/* A schedule as text: rounds x ranks, who sends which block to whom, what each rank holds afterwards. */
#pragma once

#include "collectives/base/text.h"
#include "collectives/schedule.h"

/* Appends the drawing, at most `width` columns wide where the ranks can be laid side by side (else rank by
 * rank). AR_FAILED when the schedule breaks a rule, with all rounds before it drawn. */
enum ar_status ar_draw_steps(const struct ar_schedule *schedule, int width, struct ar_text *text,
                             struct ar_error *error);
