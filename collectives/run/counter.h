/* What a rank exchanged with one peer. */
#pragma once

#include <stdint.h>

/* What was really started on the transport, counted where it is started: the schedule's messages, and the
 * transport's, which differ where a message travels in pieces. */
struct ar_counter {
    int peer;
    int64_t sent_messages, sent_bytes, received_messages, received_bytes;
    int64_t sent_wire_messages, received_wire_messages;
};
