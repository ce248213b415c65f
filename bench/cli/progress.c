#include "bench/cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bench/cli/cli.h"

/* The line has a thread of its own, for the work may not come back for a while. It calls nothing of MPI's. */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool running, over;
    char line[80];
} board = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void *show(void *nothing)
{
    struct timespec next;
    int seconds = 0;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&board.lock);
    while (!board.over) {
        next.tv_sec++;
        while (!board.over && pthread_cond_timedwait(&board.ended, &board.lock, &next) == 0)
            ;
        if (!board.over)
            fprintf(stderr, "\r\033[K%s, %d s", board.line, ++seconds);
    }
    if (seconds > 0)
        fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&board.lock);
    return nothing;
}

void ar_progress_begin(void)
{
    if (ar_speaks() && isatty(STDERR_FILENO))
        board.running = pthread_create(&board.thread, NULL, show, NULL) == 0;
}

void ar_progress(const char *what, int now, int of)
{
    pthread_mutex_lock(&board.lock);
    snprintf(board.line, sizeof board.line, "%s, %d of %d", what, now, of);
    pthread_mutex_unlock(&board.lock);
}

void ar_progress_end(void)
{
    if (!board.running)
        return;
    pthread_mutex_lock(&board.lock);
    board.over = true;
    pthread_cond_signal(&board.ended);
    pthread_mutex_unlock(&board.lock);
    pthread_join(board.thread, NULL);
    board.running = false;
}
