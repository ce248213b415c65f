#include "bench/cli/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/cli/cli.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

enum ar_status ar_session_open(struct ar_session *session, bool mpi, bool witness, struct ar_error *error)
{
    *session = (struct ar_session){0};
    return mpi ? ar_mpi_open(witness, &session->end, &session->mpi_version, error) : AR_OK;
}

enum ar_status ar_session_agree(const struct ar_session *session, enum ar_status mine, struct ar_error *error)
{
    struct verdict {
        enum ar_status status;
        struct ar_error why;
    } verdict = {.status = mine};
    if (!session->end)
        return mine;
    if (mine != AR_OK)
        verdict.why = *error;
    struct verdict *all = ar_alloc((size_t)session->end->nranks, sizeof *all);
    ar_mpi_share(session->end, &verdict, sizeof verdict, all);
    for (int rank = session->end->nranks - 1; rank >= 0; rank--)
        if (all[rank].status != AR_OK)
            verdict = all[rank];
    free(all);
    *error = verdict.why;
    return verdict.status;
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

enum ar_status ar_session_close(struct ar_session *session, enum ar_status status, struct ar_error *error)
{
    if (session->end && status == AR_SYSTEM) {
        fprintf(stderr, "allround: %s\n", error->text);
        ar_mpi_abort(2);
    }
    if (session->end)
        ar_mpi_close(session->end);
    session->end = NULL;
    return status;
}
