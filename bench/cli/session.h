/* A command that may run over MPI, from beginning to end:
 *
 *     struct ar_session session;
 *     status = ar_session_open(&session, wanted, witness, error);
 *     status = ar_session_agree(&session, read_a_file(...), error);     every rank, once it was opened
 *     status = ar_session_ranks(&session, asked, 1, "claim", &nranks, error);
 *     ...
 *     return ar_session_close(&session, status, error);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/base/error.h"
#include "collectives/run/transport.h"

struct ar_session {
    struct ar_end *end;      /* this rank's; NULL: without MPI */
    const char *mpi_version; /* NULL: without MPI */
};

/* With `mpi` opens MPI, else nothing; the session may be closed also where this failed. */
enum ar_status ar_session_open(struct ar_session *session, bool mpi, bool witness, struct ar_error *error);

/* For what ranks may see differently, such as files on their machines: every rank gets the status and the
 * sentence of the first that failed. */
enum ar_status ar_session_agree(const struct ar_session *session, enum ar_status mine,
                                struct ar_error *error);

/* How many ranks there are: the first of those `asked` for with -n, or the launcher's, which none may
 * contradict over MPI. AR_INVALID also where nobody says. */
enum ar_status ar_session_ranks(const struct ar_session *session, const int64_t *asked, int nasked,
                                const char *command, int64_t *nranks, struct ar_error *error);

/* Closes MPI and returns the status. After AR_SYSTEM over MPI, which other ranks may not know of and wait for
 * ever, it says why and ends all ranks. */
enum ar_status ar_session_close(struct ar_session *session, enum ar_status status, struct ar_error *error);
