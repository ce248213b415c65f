/* The writer of schedule files. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "bench/import/schedule_file.h"
#include "bench/import/schedule_words.h"

/* The i-th name of the step's set. */
static int64_t block_of(const struct ar_step *step, int64_t i)
{
    const struct ar_blocks *set = &step->set;
    int64_t at = (set->first + i / set->length * set->stride + i % set->length) % step->modulus;
    return step->base + (at < 0 ? at + step->modulus : at);
}

/* "0-3,7": the names in their order, ascending neighbours joined. */
static void write_blocks(const struct ar_step *step, struct ar_text *out)
{
    int64_t n = step->set.count * step->set.length, run;
    for (int64_t i = 0; i < n; i += run) {
        int64_t first = block_of(step, i);
        for (run = 1; i + run < n && block_of(step, i + run) == first + run; run++)
            ;
        ar_text_add(out, "%s%" PRId64, i ? "," : "", first);
        if (run > 1)
            ar_text_add(out, "-%" PRId64, first + run - 1);
    }
}

void ar_step_write(const struct ar_step *step, struct ar_text *out)
{
    bool message = step->peer >= 0;
    ar_text_add(out, "%s ", verbs[step->kind]);
    write_blocks(step, out);
    if (!message || step->from != AR_VECTOR)
        if (step->kind == AR_SEND || !message)
            ar_text_add(out, " of %s", places[step->from]);
    if (step->kind == AR_COPY)
        ar_text_add(out, " to %s", places[step->to]);
    else if (step->kind != AR_SEND && step->to != AR_VECTOR)
        ar_text_add(out, " into %s", places[step->to]);
    if (message)
        ar_text_add(out, " %s %d", step->kind == AR_SEND ? "to" : "from", step->peer);
    if (step->order != AR_BY_RANK && (step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD))
        ar_text_add(out, ", %s", orders[step->order]);
}

static void write_round(const struct ar_schedule *schedule, int64_t k, struct ar_sink *sink,
                        struct ar_text *out)
{
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        ar_text_add(out, "%s[", rank ? ",\n      " : "\n    [ ");
        sink->n = 0;
        ar_schedule_round(schedule, rank, k, sink);
        for (int i = 0; i < sink->n; i++) {
            ar_text_add(out, "%s\"", i ? ", " : "");
            ar_step_write(&sink->step[i], out);
            ar_text_add(out, "\"");
        }
        ar_text_add(out, "]");
    }
    ar_text_add(out, " ]");
}

void ar_schedule_write(const struct ar_schedule *schedule, struct ar_text *out)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    json_t *quoted = json_string(algorithm->name); /* NULL where a file's name is not UTF-8 */
    char *name = quoted ? json_dumps(quoted, JSON_ENCODE_ANY) : NULL;
    ar_text_add(out, "{\n  \"name\": %s,\n  \"collective\": \"%s\",\n", name ? name : "\"schedule\"",
                ar_collectives[algorithm->collective].name);
    free(name);
    json_decref(quoted);
    ar_text_add(out, "  \"ranks\": %d,\n  \"blocks\": %" PRId64 ",\n", schedule->problem.nranks,
                ar_nblocks(schedule));
    if (ar_collective_rooted(algorithm->collective))
        ar_text_add(out, "  \"root\": %d,\n", schedule->problem.root);
    ar_text_add(out, "  \"rounds\": [");
    struct ar_sink sink = {.full = ar_sink_grow};
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        ar_text_add(out, k ? "," : "");
        write_round(schedule, k, &sink, out);
    }
    free(sink.step);
    ar_text_add(out, "\n  ]\n}\n");
}
