#include "bench/cli/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/cli.h"
#include "bench/harness/agree.h"
#include "collectives/base/text.h"
#include "collectives/run/mpi.h"

enum { PATIENCE_S = 120, STAGGER_S = 5, STAGGERED = 12 };

static char *last_words; /* of a rank that waits for others in vain */

static void give_up(int signal)
{
    (void)signal;
    ssize_t written = write(STDERR_FILENO, last_words, strlen(last_words));
    (void)written;
    _exit(2);
}

/* MPI begins when all ranks have come, which it does not say and some may never do. Ranks lose their patience
 * one after the other, for the launcher ends all when the first has spoken. */
static void begin_patience(enum ar_status mine, const struct ar_error *error)
{
    struct ar_text words = {0};
    int rank;
    ar_mpi_launched(&rank, NULL);
    if (mine != AR_OK)
        ar_text_add(&words, "allround: %s\n", error->text);
    else
        ar_text_add(&words,
                    "allround: MPI did not begin within %d s: expected every rank that was launched to run "
                    "allround with the same arguments\n",
                    PATIENCE_S);
    last_words = words.data;
    signal(SIGALRM, give_up);
    rank = rank < 0 ? 0 : rank < STAGGERED ? rank : STAGGERED;
    alarm((unsigned)(PATIENCE_S + STAGGER_S * rank));
}

static void end_patience(void)
{
    alarm(0);
    free(last_words);
}

enum ar_status ar_session_open(struct ar_session *session, int argc, char *const *argv, enum ar_status mine,
                               struct ar_error *error)
{
    uint64_t digest = 0;
    struct ar_error why;
    begin_patience(mine, error);
    enum ar_status status = ar_mpi_open(true, &session->end, &session->mpi_version, &why);
    end_patience();
    if (status != AR_OK) {
        *error = why;
        return status;
    }
    for (int i = 0; i < argc; i++)
        digest = ar_digest(digest, argv[i], strlen(argv[i]) + 1);
    return ar_session_agree(session, mine, digest, NULL, error);
}

enum ar_status ar_session_agree(const struct ar_session *session, enum ar_status mine, uint64_t digest,
                                const char *file, struct ar_error *error)
{
    return ar_agree(session->end, mine, digest, file, error);
}

enum ar_status ar_session_ranks(const struct ar_session *session, const int64_t *asked, int nasked,
                                const char *command, int64_t *nranks, struct ar_error *error)
{
    int launched = -1;
    if (session->end)
        launched = session->end->nranks;
    else
        ar_mpi_launched(NULL, &launched);
    for (int i = 0; session->end && i < nasked; i++)
        if (asked[i] != launched)
            return ar_fail(error, AR_INVALID, "-n: expected the launcher's %d ranks, got %" PRId64, launched,
                           asked[i]);
    if (nasked == 0 && launched < 0)
        return ar_fail(error, AR_INVALID, "%s needs -n RANKS, or a launcher: mpiexec -n RANKS allround %s",
                       command, command);
    *nranks = nasked ? asked[0] : launched;
    return AR_OK;
}

void ar_session_leave(struct ar_session *session)
{
    if (session->end)
        ar_mpi_close(session->end);
    session->end = NULL;
}

enum ar_status ar_session_close(struct ar_session *session, enum ar_status status, struct ar_error *error)
{
    if (session->end && status == AR_SYSTEM) {
        fprintf(stderr, "allround: %s\n", error->text);
        ar_mpi_abort(2);
    }
    ar_session_leave(session);
    return status;
}
