/* A command that may run over MPI, from beginning to end:
 *
 *     struct ar_session session = {0};
 *     status = ar_session_open(&session, argc, argv, status, error);          main, where it is needed
 *     status = ar_session_agree(&session, status, file.digest, path, error);  every rank, once it was opened
 *     status = ar_session_ranks(&session, asked, 1, "claim", &nranks, error);
 *     ...
 *     return ar_session_close(&session, status, error);                       main
 *
 * Once MPI is open a rank must not go its own way: others would wait for it for ever. All ranks have the same
 * arguments, so they come to the same answers by themselves, but not about what they read: that is agreed on.
 */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"
#include "collectives/run/transport.h"

struct ar_session {
    struct ar_end *end;      /* this rank's; NULL: without MPI */
    const char *mpi_version; /* NULL: without MPI */
};

/* Opens MPI, with the witness, and agrees on `mine` and the arguments. A rank waits a minute for those that
 * do not open it, then says its sentence, or that it waited, and exits with 2. The session may be closed also
 * after a failure. */
enum ar_status ar_session_open(struct ar_session *session, int argc, char *const *argv, enum ar_status mine,
                               struct ar_error *error);

/* Every rank gets the status and the sentence, naming the rank, of the first that failed. Where none did, the
 * digests must be the same: AR_INVALID where a rank reads another `file` than rank 0, or with NULL was
 * started with other arguments. Without MPI the answer is `mine`. */
enum ar_status ar_session_agree(const struct ar_session *session, enum ar_status mine, uint64_t digest,
                                const char *file, struct ar_error *error);

/* How many ranks there are: the first of those `asked` for with -n, or the launcher's, which none may
 * contradict over MPI. AR_INVALID also where nobody says. */
enum ar_status ar_session_ranks(const struct ar_session *session, const int64_t *asked, int nasked,
                                const char *command, int64_t *nranks, struct ar_error *error);

/* Closes MPI, on all ranks, for a command that goes on without. */
void ar_session_leave(struct ar_session *session);

/* Closes MPI where it is open and returns the status. After AR_SYSTEM over MPI, which other ranks may not
 * know of and wait for ever, it says why and ends all ranks. */
enum ar_status ar_session_close(struct ar_session *session, enum ar_status status, struct ar_error *error);
