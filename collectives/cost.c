#include "collectives/cost.h"

#include <stdlib.h>

#include "collectives/active.h"
#include "collectives/base/memory.h"
#include "collectives/messages.h"

/* One direction of one rank: of a round, or of all rounds. */
struct flow {
    int64_t messages, elements;
};

struct of_rank {
    int64_t messages_sent, elements_sent, elements_reduced;
};

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds what one rank does to its own numbers, and raises the round's. */
static void add_rank(const struct ar_messages *messages, struct of_rank *rank, struct ar_schedule_cost *round)
{
    struct flow flow[2] = {{0}}; /* received, sent */
    for (int i = 0; i < messages->nmessages; i++) {
        const struct ar_message *message = &messages->message[i];
        flow[message->sent].messages++;
        flow[message->sent].elements += message->elements;
    }
    int64_t reduced = ar_messages_combined(messages);
    rank->messages_sent += flow[true].messages;
    rank->elements_sent += flow[true].elements;
    rank->elements_reduced += reduced;
    round->alpha_count = max(round->alpha_count, max(flow[true].messages, flow[false].messages));
    round->critical_elements = max(round->critical_elements, max(flow[true].elements, flow[false].elements));
    round->gamma_elements = max(round->gamma_elements, reduced);
}

struct ar_schedule_cost ar_cost_of_schedule(const struct ar_schedule *schedule,
                                            const struct ar_layout *layout)
{
    struct ar_schedule_cost cost = {.one_port = true};
    struct ar_active active;
    struct ar_messages messages = {0};
    int nranks = schedule->problem.nranks;
    struct of_rank *of = ar_alloc((size_t)nranks, sizeof *of);
    ar_active_init(&active, schedule);
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        struct ar_schedule_cost round = {0};
        ar_active_round(&active, k);
        for (int i = 0; i < active.n; i++) {
            ar_messages_of_round(schedule, layout, active.rank[i], k, &messages);
            add_rank(&messages, &of[active.rank[i]], &round);
        }
        cost.rounds += round.alpha_count > 0;
        cost.one_port &= round.alpha_count <= 1;
        cost.alpha_count += round.alpha_count;
        cost.critical_elements += round.critical_elements;
        cost.gamma_elements += round.gamma_elements;
    }
    for (int rank = 0; rank < nranks; rank++) {
        cost.messages_total += of[rank].messages_sent;
        cost.elements_sent_total += of[rank].elements_sent;
        cost.messages_sent_max = max(cost.messages_sent_max, of[rank].messages_sent);
        cost.elements_sent_max = max(cost.elements_sent_max, of[rank].elements_sent);
        cost.elements_reduced_max = max(cost.elements_reduced_max, of[rank].elements_reduced);
    }
    ar_active_free(&active);
    ar_messages_free(&messages);
    free(of);
    return cost;
}

void ar_cost_write(const struct ar_cost *cost, struct ar_text *text)
{
    const struct {
        double factor;
        const char *of;
    } term[] = {{cost->alpha, "α"}, {cost->beta, "nβ"}, {cost->gamma, "nγ"}};
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (term[i].factor > 0)
            ar_text_add(text, "%s%.7g %s", n++ ? " + " : "", term[i].factor, term[i].of);
    if (n == 0)
        ar_text_add(text, "0");
}
