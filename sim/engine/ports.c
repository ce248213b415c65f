#include "sim/engine/ports.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collectives/base/memory.h"

enum { NONE = -1 };

/* A rank as a sender and as a receiver. A sender's next transfer waits at its receiver in a pairing heap
 * (Fredman et al. 1986), the one that could have left first on top; the receivers with waiting transfers
 * stand in a binary heap by the time at which the next one starts. */
struct port {
    double released_s;  /* when the sender's next transfer could leave */
    double send_s;      /* when it can leave again */
    double receive_s;   /* when it can receive again */
    double start_s;     /* of the next transfer it receives */
    int64_t next, end;  /* its transfers yet to leave */
    int child, sibling; /* of the sender, in the heap of its receiver */
    int first;          /* the top of the receiver's heap */
    int at;             /* the receiver's place among the receivers */
};

struct ar_ports {
    struct port *port;
    int *receiver; /* a binary heap */
    int nreceivers, nranks;
};

struct ar_ports *ar_ports_new(int nranks)
{
    struct ar_ports *ports = ar_alloc(1, sizeof *ports);
    ports->nranks = nranks;
    ports->port = ar_alloc((size_t)nranks, sizeof *ports->port);
    ports->receiver = ar_alloc((size_t)nranks, sizeof *ports->receiver);
    return ports;
}

void ar_ports_free(struct ar_ports *ports)
{
    if (!ports)
        return;
    free(ports->port);
    free(ports->receiver);
    free(ports);
}

/* ---- Senders that wait for one receiver -------------------------------------------------------------- */

static int meld(struct port *port, int a, int b)
{
    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    if (port[b].released_s < port[a].released_s || (port[b].released_s == port[a].released_s && b < a)) {
        int swap = a;
        a = b;
        b = swap;
    }
    port[b].sibling = port[a].child;
    port[a].child = b;
    return a;
}

/* The children of a top that is gone, melded in pairs and the pairs from the last to the first. */
static int meld_children(struct port *port, int child)
{
    int pairs = NONE, top = NONE;
    while (child != NONE) {
        int other = port[child].sibling, next = other == NONE ? NONE : port[other].sibling;
        port[child].sibling = NONE;
        if (other != NONE)
            port[other].sibling = NONE;
        int pair = meld(port, child, other);
        port[pair].sibling = pairs;
        pairs = pair;
        child = next;
    }
    while (pairs != NONE) {
        int next = port[pairs].sibling;
        port[pairs].sibling = NONE;
        top = meld(port, top, pairs);
        pairs = next;
    }
    return top;
}

/* ---- The receivers, by what starts first ------------------------------------------------------------- */

static bool sooner(const struct ar_ports *ports, int a, int b)
{
    return ports->port[a].start_s < ports->port[b].start_s;
}

static void place(struct ar_ports *ports, int at, int receiver)
{
    ports->receiver[at] = receiver;
    ports->port[receiver].at = at;
}

static void rise(struct ar_ports *ports, int receiver)
{
    int at = ports->port[receiver].at;
    for (; at > 0 && sooner(ports, receiver, ports->receiver[(at - 1) / 2]); at = (at - 1) / 2)
        place(ports, at, ports->receiver[(at - 1) / 2]);
    place(ports, at, receiver);
}

static void sink(struct ar_ports *ports, int receiver)
{
    int at = ports->port[receiver].at;
    for (int below; (below = 2 * at + 1) < ports->nreceivers; at = below) {
        if (below + 1 < ports->nreceivers &&
            sooner(ports, ports->receiver[below + 1], ports->receiver[below]))
            below++;
        if (!sooner(ports, ports->receiver[below], receiver))
            break;
        place(ports, at, ports->receiver[below]);
    }
    place(ports, at, receiver);
}

static void leave(struct ar_ports *ports, int receiver)
{
    int at = ports->port[receiver].at, last = ports->receiver[--ports->nreceivers];
    ports->port[receiver].at = NONE;
    if (last == receiver)
        return;
    place(ports, at, last);
    rise(ports, last);
    sink(ports, last);
}

/* The receiver's next transfer has changed. */
static void settle(struct ar_ports *ports, int receiver)
{
    struct port *port = &ports->port[receiver];
    if (port->first == NONE) {
        leave(ports, receiver);
        return;
    }
    double released_s = ports->port[port->first].released_s;
    port->start_s = released_s > port->receive_s ? released_s : port->receive_s;
    if (port->at == NONE)
        place(ports, ports->nreceivers++, receiver);
    rise(ports, receiver);
    sink(ports, receiver);
}

/* ---- A round ----------------------------------------------------------------------------------------- */

/* The sender's next transfer, if there is one, goes and waits at its receiver. */
static void queue(struct ar_ports *ports, int sender, const struct ar_delivery *transfer,
                  const double *ready_s)
{
    struct port *port = &ports->port[sender];
    if (port->next == port->end)
        return;
    int receiver = transfer[port->next].to;
    port->released_s = port->send_s > ready_s[receiver] ? port->send_s : ready_s[receiver];
    port->child = port->sibling = NONE;
    struct port *there = &ports->port[receiver];
    int before = there->first;
    there->first = meld(ports->port, before, sender);
    if (there->first != before)
        settle(ports, receiver);
}

static void enter(struct ar_ports *ports, int rank, const double *ready_s, double *done_s)
{
    ports->port[rank] = (struct port){.send_s = ready_s[rank],
                                      .receive_s = ready_s[rank],
                                      .child = NONE,
                                      .sibling = NONE,
                                      .first = NONE,
                                      .at = NONE};
    done_s[rank] = ready_s[rank];
}

void ar_ports_run(struct ar_ports *ports, const struct ar_delivery *transfer, int64_t n,
                  const double *ready_s, double *done_s)
{
    struct port *port = ports->port;
    ports->nreceivers = 0;
    for (int64_t i = 0; i < n; i++) {
        enter(ports, transfer[i].to, ready_s, done_s);
        enter(ports, transfer[i].from, ready_s, done_s);
    }
    for (int64_t i = 0; i < n; i = port[transfer[i].from].end) {
        struct port *sender = &port[transfer[i].from];
        sender->next = sender->end = i;
        while (sender->end < n && transfer[sender->end].from == transfer[i].from)
            sender->end++;
    }
    for (int64_t i = 0; i < n; i = port[transfer[i].from].end)
        queue(ports, transfer[i].from, transfer, ready_s);
    while (ports->nreceivers > 0) {
        int receiver = ports->receiver[0], sender = port[receiver].first;
        const struct ar_delivery *now = &transfer[port[sender].next++];
        double end_s = port[receiver].start_s + now->takes_s;
        port[sender].send_s = port[receiver].receive_s = end_s;
        done_s[sender] = end_s > done_s[sender] ? end_s : done_s[sender];
        done_s[receiver] = end_s > done_s[receiver] ? end_s : done_s[receiver];
        port[receiver].first = meld_children(port, port[sender].child);
        settle(ports, receiver);
        queue(ports, sender, transfer, ready_s);
    }
}
