/* What a message does to the clocks of its two ranks: pure functions on small structs, which the engine's
 * loops inline (sim/engine). A cost model (sim/models/model.h) with its numbers becomes a struct ar_prices.
 *
 * Two ways to keep time:
 *
 *   one clock     A transfer starts when both its ends are in the round and takes alpha + n beta; both
 *                 ends are busy until it is done. alpha and beta may depend on the size (regimes) and on
 *                 how far apart the two ranks are (distances).
 *   three clocks  LogGOPS: a rank's processor, its port that sends and its port that receives.
 *
 * Combining n bytes keeps the rank (its processor) busy for n gamma, in both.
 *
 * Sources: Hockney, The communication challenge for MPP, Parallel Computing 20(3), 1994; Hoefler, Schneider,
 * Lumsdaine, LogGOPSim, HPDC 2010, and its code, LogGOPSim.cpp of github.com/spcl/LogGOPSim.
 */
#pragma once

enum ar_clocking { AR_ONE_CLOCK, AR_THREE_CLOCKS };
enum { AR_MOST_CLOCKS = 3, AR_MOST_REGIMES = 16 };

/* The largest thing that two ranks do not share. */
enum ar_distance {
    AR_OTHER_CORE,   /* or no other: on one socket */
    AR_OTHER_SOCKET, /* on one node */
    AR_OTHER_NODE,   /* at one switch */
    AR_OTHER_SWITCH, /* in one group */
    AR_OTHER_GROUP,
    AR_NDISTANCES
};

struct ar_line {
    double alpha_s, beta_s_per_byte;
};

/* Times in seconds, S in bytes: the largest message that is sent at once (eager). */
struct ar_loggops {
    double L_s, o_s, g_s, G_s_per_byte, O_s_per_byte, S_bytes;
};

struct ar_prices {
    enum ar_clocking clocking;
    double gamma_s_per_byte;
    /* One clock. Regime i holds from from_bytes[i] on, from_bytes[0] is 0. Sockets, nodes, switches and
     * groups hold span[0], span[1], ... consecutive ranks each, every one a multiple of the one before. */
    int nregimes, ndistances; /* 1 .. AR_MOST_REGIMES; 1 .. AR_NDISTANCES */
    double from_bytes[AR_MOST_REGIMES];
    int span[AR_NDISTANCES - 1];
    struct ar_line line[AR_NDISTANCES][AR_MOST_REGIMES];
    struct ar_loggops loggops; /* three clocks */
};

static inline double ar_later(double a_s, double b_s)
{
    return a_s > b_s ? a_s : b_s;
}

/* ---- One clock --------------------------------------------------------------------------------------- */

static inline int ar_distance_of(const struct ar_prices *prices, int a, int b)
{
    int distance = 0;
    while (distance < prices->ndistances - 1 && a / prices->span[distance] != b / prices->span[distance])
        distance++;
    return distance;
}

/* How long a transfer of n takes; n counts what beta and from_bytes are for. */
static inline double ar_line_takes(const struct ar_prices *prices, int from, int to, double n)
{
    const struct ar_line *line = prices->line[ar_distance_of(prices, from, to)];
    int regime = 0;
    while (regime + 1 < prices->nregimes && n >= prices->from_bytes[regime + 1])
        regime++;
    return line[regime].alpha_s + n * line[regime].beta_s_per_byte;
}

/* ---- LogGOPS ----------------------------------------------------------------------------------------- */

/* When each is free. */
struct ar_loggops_clocks {
    double cpu_s, send_s, receive_s;
};

/* Bytes after the first; a message of none costs what one of a byte does. */
static inline double ar_bytes_more(double bytes)
{
    return bytes > 1 ? bytes - 1 : 0;
}

/* A send at t, when processor and port are free: the processor is busy to t + o + (n-1) O, the port to
 * t + g + (n-1) G. Returns when the first byte is at the receiver: t + o + L. `slow` multiplies what the
 * processor does. */
static inline double ar_loggops_send(const struct ar_loggops *m, struct ar_loggops_clocks *clocks,
                                     double bytes, double slow)
{
    double more = ar_bytes_more(bytes), o_s = slow * m->o_s, t_s = ar_later(clocks->cpu_s, clocks->send_s);
    clocks->cpu_s = t_s + (o_s + more * (slow * m->O_s_per_byte));
    clocks->send_s = t_s + (m->g_s + more * m->G_s_per_byte);
    return t_s + o_s + m->L_s;
}

/* A receive at t, when the first byte is there and processor and port are free: the processor is busy to
 * t + o + max((n-1) O, (n-1) G), the port to t + g + (n-1) G. Returns t, when the message has met its match:
 * of more than S bytes it holds the sender's processor until then. */
static inline double ar_loggops_receive(const struct ar_loggops *m, struct ar_loggops_clocks *clocks,
                                        double bytes, double first_byte_s, double slow)
{
    double more = ar_bytes_more(bytes), wire_s = more * m->G_s_per_byte;
    double t_s = ar_later(ar_later(clocks->cpu_s, clocks->receive_s), first_byte_s);
    clocks->cpu_s = t_s + (slow * m->o_s + ar_later(more * (slow * m->O_s_per_byte), wire_s));
    clocks->receive_s = t_s + (m->g_s + wire_s);
    return t_s;
}
