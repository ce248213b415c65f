#include "bench/harness/agree.h"

#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

enum ar_status ar_agree(struct ar_end *end, enum ar_status mine, uint64_t digest, const char *file,
                        struct ar_error *error)
{
    struct answer {
        enum ar_status status;
        uint64_t digest;
        struct ar_error why;
    } answer = {.status = mine, .digest = digest};
    if (!end)
        return mine;
    if (mine != AR_OK && error)
        answer.why = *error;
    int n = end->nranks, failed = n, other = n;
    struct answer *all = ar_alloc((size_t)n, sizeof *all);
    ar_mpi_share(end, &answer, sizeof answer, all);
    for (int rank = n - 1; rank >= 0; rank--) {
        failed = all[rank].status != AR_OK ? rank : failed;
        other = all[rank].digest != all[0].digest ? rank : other;
    }
    enum ar_status status = AR_OK;
    if (failed == 0)
        status = ar_fail(error, all[0].status, "%s", all[0].why.text);
    else if (failed < n)
        status = ar_fail(error, all[failed].status, "rank %d: %s", failed, all[failed].why.text);
    else if (other < n && file)
        status = ar_fail(error, AR_INVALID, "rank %d reads another %.400s than rank 0", other, file);
    else if (other < n)
        status = ar_fail(error, AR_INVALID, "rank %d was started with other arguments than rank 0", other);
    free(all);
    return status;
}
