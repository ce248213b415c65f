/* The words of steps, for the reader and the writer of schedule files (schedule_file.h). */
#pragma once

#include "collectives/algorithm.h"

static const char *const verbs[] = {
    [AR_SEND] = "send", [AR_RECEIVE] = "receive", [AR_RECEIVE_REDUCE] = "combine",
    [AR_COPY] = "copy", [AR_FOLD] = "fold",
};
static const char *const places[AR_NPLACES] = {
    [AR_VECTOR] = "vector", [AR_INPUT] = "input", [AR_SCRATCH] = "scratch"};
static const char *const orders[] = {[AR_HELD_FIRST] = "held first", [AR_OTHER_FIRST] = "other first"};

enum { NVERBS = sizeof verbs / sizeof *verbs };
