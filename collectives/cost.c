#include "collectives/cost.h"

#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/exchange.h"

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

/* What one rank does in a round. */
struct deed {
    struct flow sent, received;
    int64_t reduced;
};

static struct deed deed_of_part(struct ar_part part)
{
    return (struct deed){
        {part.to != AR_NOBODY, part.sent}, {part.from != AR_NOBODY, part.received}, part.combined};
}

static struct deed deed_of_messages(struct ar_exchange *exchange, int rank, int64_t k)
{
    struct deed deed = {.reduced = ar_exchange_messages(exchange, rank, k)};
    for (int i = 0; i < exchange->nmessages; i++) {
        const struct ar_message *message = &exchange->message[i];
        struct flow *flow = message->sent ? &deed.sent : &deed.received;
        flow->messages++;
        flow->elements += message->elements;
    }
    return deed;
}

/* Adds to the rank's own numbers, and raises the round's. */
static void add_deed(struct deed deed, struct of_rank *rank, struct ar_schedule_cost *round)
{
    rank->messages_sent += deed.sent.messages;
    rank->elements_sent += deed.sent.elements;
    rank->elements_reduced += deed.reduced;
    round->alpha_count = max(round->alpha_count, max(deed.sent.messages, deed.received.messages));
    round->critical_elements = max(round->critical_elements, max(deed.sent.elements, deed.received.elements));
    round->gamma_elements = max(round->gamma_elements, deed.reduced);
}

struct ar_schedule_cost ar_cost_of_schedule(const struct ar_schedule *schedule,
                                            const struct ar_layout *layout)
{
    struct ar_schedule_cost cost = {.one_port = true};
    struct ar_exchange exchange;
    int nranks = schedule->problem.nranks;
    struct of_rank *of = ar_alloc((size_t)nranks, sizeof *of);
    ar_exchange_init(&exchange, schedule, layout);
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        struct ar_schedule_cost round = {0};
        bool at_once = ar_exchange_round(&exchange, k);
        for (int i = 0; i < exchange.active.n; i++) {
            int rank = exchange.active.rank[i];
            add_deed(at_once ? deed_of_part(ar_exchange_part(&exchange, rank))
                             : deed_of_messages(&exchange, rank, k),
                     &of[rank], &round);
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
    ar_exchange_free(&exchange);
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
