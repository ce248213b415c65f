#include "collectives/run/mpi.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "collectives/base/memory.h"
#include "collectives/run/mpi_end.h"
#include "collectives/run/witness.h"

enum {
    PIECE = 1 << 30,  /* bytes per block of a datatype: lengths are ints */
    VERSION_TEXT = 96 /* of the library's name */
};

/* What is under way in a slot, for checking and for sentences. */
struct transfer {
    int peer;
    bool sent;
    size_t bytes;
};

struct mpi_end {
    struct ar_end end; /* first */
    MPI_Comm comm;
    int nslots;
    MPI_Request *request;
    MPI_Status *status;
    struct transfer *transfer;
    int *node; /* of every rank, where that matters */
};

struct ar_shape {
    size_t bytes;
    size_t offset; /* of the datatype's origin */
    MPI_Datatype type;
    int count;
    bool derived; /* type is ours to free */
    int code;     /* what MPI said to making it; told at the first transfer */
};

static struct mpi_end *mpi_of(struct ar_end *end)
{
    return (struct mpi_end *)end;
}

void *ar_mpi_comm(struct ar_end *end)
{
    return &mpi_of(end)->comm;
}

/* ---- Errors ------------------------------------------------------------------------------------------ */

enum ar_status ar_mpi_fail(struct ar_error *error, const struct ar_end *end, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' '; /* MPICH tells a story in lines */
    return ar_fail(error, AR_SYSTEM, "rank %d: %s: %s", end->rank, what, text);
}

static enum ar_status fail_transfer(struct ar_error *error, const struct ar_end *end, int code,
                                    const struct transfer *transfer)
{
    char what[96];
    snprintf(what, sizeof what, "%s %zu B %s rank %d", transfer->sent ? "sending" : "receiving",
             transfer->bytes, transfer->sent ? "to" : "from", transfer->peer);
    return ar_mpi_fail(error, end, code, what);
}

void ar_mpi_must(struct ar_end *end, int code)
{
    if (code == MPI_SUCCESS)
        return;
    MPI_Comm_set_errhandler(mpi_of(end)->comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_call_errhandler(mpi_of(end)->comm, code);
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

/* Blocks of at most PIECE bytes that together cover the extents: one kind of datatype for any length. */
static int make_type(const struct ar_extent *extent, int n, MPI_Datatype *type)
{
    size_t npieces = 0;
    for (int i = 0; i < n; i++)
        npieces += extent[i].length / PIECE + (extent[i].length % PIECE != 0);
    if (npieces > INT_MAX)
        return MPI_ERR_COUNT;
    int *length = ar_alloc(npieces, sizeof *length);
    MPI_Aint *offset = ar_alloc(npieces, sizeof *offset);
    int made = 0;
    for (int i = 0; i < n; i++)
        for (size_t done = 0; done < extent[i].length; made++) {
            size_t left = extent[i].length - done;
            length[made] = left < PIECE ? (int)left : PIECE;
            offset[made] = (MPI_Aint)(extent[i].offset + done);
            done += (size_t)length[made];
        }
    int code = MPI_Type_create_hindexed(made, length, offset, MPI_BYTE, type);
    free(length);
    free(offset);
    return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

/* Leaves out empty extents and joins those that continue their predecessor. */
static int join(const struct ar_extent *extent, int n, struct ar_extent *joined)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (extent[i].length == 0)
            continue;
        if (kept > 0 && joined[kept - 1].offset + joined[kept - 1].length == extent[i].offset)
            joined[kept - 1].length += extent[i].length;
        else
            joined[kept++] = extent[i];
    }
    return kept;
}

static struct ar_shape *shape(struct ar_end *end, const struct ar_extent *extent, int n)
{
    (void)end;
    struct ar_shape *made = ar_alloc(1, sizeof *made);
    struct ar_extent *joined = ar_alloc((size_t)n, sizeof *joined);
    n = join(extent, n, joined);
    for (int i = 0; i < n; i++)
        made->bytes += joined[i].length;
    made->type = MPI_BYTE;
    if (n == 1 && made->bytes <= INT_MAX) {
        made->offset = joined[0].offset;
        made->count = (int)made->bytes;
    } else if (n > 0) {
        made->count = 1;
        made->code = make_type(joined, n, &made->type);
        made->derived = made->code == MPI_SUCCESS;
    }
    free(joined);
    return made;
}

static void forget(struct ar_end *end, struct ar_shape *shape)
{
    (void)end;
    if (!shape)
        return;
    if (shape->derived)
        MPI_Type_free(&shape->type);
    free(shape);
}

/* ---- Transfers --------------------------------------------------------------------------------------- */

static void reserve(struct ar_end *end, int nslots)
{
    struct mpi_end *mpi = mpi_of(end);
    if (nslots <= mpi->nslots)
        return;
    mpi->request = ar_realloc(mpi->request, (size_t)nslots, sizeof *mpi->request);
    mpi->status = ar_realloc(mpi->status, (size_t)nslots, sizeof *mpi->status);
    mpi->transfer = ar_realloc(mpi->transfer, (size_t)nslots, sizeof *mpi->transfer);
    for (; mpi->nslots < nslots; mpi->nslots++) {
        mpi->request[mpi->nslots] = MPI_REQUEST_NULL;
        mpi->transfer[mpi->nslots] = (struct transfer){0};
    }
}

static enum ar_status send(struct ar_end *end, int slot, int peer, int lane, const void *base,
                           const struct ar_shape *shape, struct ar_error *error)
{
    struct mpi_end *mpi = mpi_of(end);
    mpi->transfer[slot] = (struct transfer){peer, true, shape->bytes};
    int code = shape->code;
    if (code == MPI_SUCCESS)
        code = MPI_Isend((const char *)base + shape->offset, shape->count, shape->type, peer, lane, mpi->comm,
                         &mpi->request[slot]);
    return code == MPI_SUCCESS ? AR_OK : fail_transfer(error, end, code, &mpi->transfer[slot]);
}

static enum ar_status receive(struct ar_end *end, int slot, int peer, int lane, void *base,
                              const struct ar_shape *shape, struct ar_error *error)
{
    struct mpi_end *mpi = mpi_of(end);
    mpi->transfer[slot] = (struct transfer){peer, false, shape->bytes};
    int code = shape->code;
    if (code == MPI_SUCCESS)
        code = MPI_Irecv((char *)base + shape->offset, shape->count, shape->type, peer, lane, mpi->comm,
                         &mpi->request[slot]);
    return code == MPI_SUCCESS ? AR_OK : fail_transfer(error, end, code, &mpi->transfer[slot]);
}

/* MPI refuses a message that is too long, but not one that is too short. */
static enum ar_status check_length(const struct mpi_end *mpi, int slot, const MPI_Status *status,
                                   struct ar_error *error)
{
    const struct transfer *transfer = &mpi->transfer[slot];
    if (transfer->sent || status->MPI_SOURCE == MPI_ANY_SOURCE)
        return AR_OK; /* a send, or a slot without a transfer (the empty status) */
    MPI_Count got;
    MPI_Get_elements_x(status, MPI_BYTE, &got);
    if ((size_t)got == transfer->bytes)
        return AR_OK;
    return ar_fail(error, AR_SYSTEM, "rank %d: expected %zu B from rank %d, got %lld B", mpi->end.rank,
                   transfer->bytes, transfer->peer, (long long)got);
}

/* What MPI said to waiting for n transfers, in the slots `finished`, or with NULL in 0 .. n-1. */
static enum ar_status check_transfers(const struct mpi_end *mpi, int code, int n, const int *finished,
                                      struct ar_error *error)
{
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
        return ar_mpi_fail(error, &mpi->end, code, "waiting for transfers");
    enum ar_status status = AR_OK;
    for (int i = 0; i < n && status == AR_OK; i++) {
        int slot = finished ? finished[i] : i, said = mpi->status[i].MPI_ERROR;
        if (code == MPI_SUCCESS)
            status = check_length(mpi, slot, &mpi->status[i], error);
        else if (said != MPI_SUCCESS && said != MPI_ERR_PENDING)
            status = fail_transfer(error, &mpi->end, said, &mpi->transfer[slot]);
    }
    return code == MPI_SUCCESS || status != AR_OK
               ? status
               : ar_mpi_fail(error, &mpi->end, code, "waiting for transfers");
}

static enum ar_status finish(struct ar_end *end, int nslots, bool *done, struct ar_error *error)
{
    struct mpi_end *mpi = mpi_of(end);
    *done = true;
    return check_transfers(mpi, MPI_Waitall(nslots, mpi->request, mpi->status), nslots, NULL, error);
}

static enum ar_status finish_some(struct ar_end *end, int nslots, bool wait, int *finished, int *n,
                                  struct ar_error *error)
{
    struct mpi_end *mpi = mpi_of(end);
    int code = (wait ? MPI_Waitsome : MPI_Testsome)(nslots, mpi->request, n, finished, mpi->status);
    if (*n == MPI_UNDEFINED)
        *n = 0; /* none is under way */
    return check_transfers(mpi, code, *n, finished, error);
}

#ifdef OPEN_MPI
/* Open MPI 4 fetches a long contiguous message out of the sender's memory with one system call, which goes
 * page by page at 5 to 10 GB/s. What is not contiguous goes through shared memory in fragments of 32 KiB,
 * which stay in the cache: two pieces are on their way while a third is combined. */
static bool prefers_halves(const struct ar_end *end, int peer)
{
    const struct mpi_end *mpi = (const struct mpi_end *)end;
    return mpi->node[peer] == mpi->node[end->rank];
}

/* Every rank's lowest rank on the same machine. */
static int find_nodes(struct mpi_end *mpi)
{
    MPI_Comm node;
    int lowest = mpi->end.rank,
        code = MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (code == MPI_SUCCESS)
        code = MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free(&node);
    mpi->node = ar_alloc((size_t)mpi->end.nranks, sizeof *mpi->node);
    return code == MPI_SUCCESS ? MPI_Allgather(&lowest, 1, MPI_INT, mpi->node, 1, MPI_INT, mpi->comm) : code;
}
#endif

static void close_end(struct ar_end *end)
{
    struct mpi_end *mpi = mpi_of(end);
    MPI_Comm_free(&mpi->comm);
    free(mpi->request);
    free(mpi->status);
    free(mpi->transfer);
    free(mpi->node);
    free(mpi);
}

static const struct ar_transport transport = {
    .name = "mpi",
    .shape = shape,
    .forget = forget,
    .reserve = reserve,
    .send = send,
    .receive = receive,
    .finish = finish,
    .finish_some = finish_some,
    .close = close_end,
#ifdef OPEN_MPI
    .prefers_halves = prefers_halves,
#endif
};

/* ---- Starting and ending ----------------------------------------------------------------------------- */

/* A whole number >= 0 from the environment, or -1. */
static int number_of(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    if (!text || !isdigit((unsigned char)*text))
        return -1;
    char *end;
    long value = strtol(text, &end, 10);
    return *end == '\0' && value <= INT_MAX ? (int)value : -1;
}

bool ar_mpi_launched(int *rank, int *nranks)
{
    /* Innermost first: an mpiexec inside a Slurm step sets its own on top of Slurm's. */
    static const struct {
        const char *rank, *nranks;
        bool sure; /* only an MPI launcher sets it, never the shell that Slurm starts */
    } launcher[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true}, /* Open MPI's mpiexec */
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", true},   /* MVAPICH2's mpirun_rsh */
        {"PMI_RANK", "PMI_SIZE", false},                        /* Hydra (MPICH, Intel); srun --mpi=pmi2 */
        {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", false},           /* PRRTE; srun --mpi=pmix */
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},        /* srun with another or no plugin */
    };
    /* The number Slurm gives to the step in which salloc runs an interactive shell (SLURM_INTERACTIVE_STEP,
     * 0xfffffffa). Such a shell is one task with PMI variables like any other. */
    const char *step = getenv("SLURM_STEP_ID");
    bool shell = step && strcmp(step, "4294967290") == 0;
    for (size_t i = 0; i < sizeof launcher / sizeof launcher[0]; i++) {
        int here = number_of(launcher[i].rank), all = number_of(launcher[i].nranks);
        bool slurm_only = strcmp(launcher[i].rank, "SLURM_PROCID") == 0;
        /* A batch script has SLURM_PROCID without a step; a step of one task may be `srun --pty bash`. */
        if (here < 0 || (slurm_only && (!step || all <= 1)) || (shell && !launcher[i].sure && all <= 1))
            continue;
        if (rank)
            *rank = here;
        if (nranks)
            *nranks = all > 0 ? all : -1;
        return true;
    }
    if (rank)
        *rank = -1;
    if (nranks)
        *nranks = -1;
    return false;
}

/* "Open MPI v4.1.4, package: ..." and "MPICH Version:      4.0.2\n..." become "Open MPI 4.1.4" and
 * "MPICH 4.0.2": the first line up to a comma, without the word version, colons and the v of a number. */
static void shorten_version(char *text, char version[VERSION_TEXT])
{
    char *rest = text, *word;
    int length = 0;
    text[strcspn(text, ",\n\r")] = '\0';
    version[0] = '\0';
    while (length < VERSION_TEXT && (word = strsep(&rest, " \t:"))) {
        if (*word == '\0' || strcasecmp(word, "version") == 0)
            continue;
        if (word[0] == 'v' && isdigit((unsigned char)word[1]))
            word++;
        length +=
            snprintf(version + length, (size_t)(VERSION_TEXT - length), "%s%s", length ? " " : "", word);
    }
}

enum ar_status ar_mpi_open(bool witness, struct ar_end **end, const char **version, struct ar_error *error)
{
    static char name[VERSION_TEXT];
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int before = 0, length;
    MPI_Initialized(&before);
    if (before)
        return ar_fail(error, AR_INVALID, "MPI can be opened once per process, it has been already");
    if (witness)
        ar_witness_enable();
    struct mpi_end *mpi = ar_alloc(1, sizeof *mpi);
    mpi->end = (struct ar_end){.transport = &transport};
    int code = MPI_Init(NULL, NULL);
    if (code == MPI_SUCCESS) {
        /* Errors of datatypes belong to the world communicator. */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &mpi->end.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &mpi->end.nranks);
        code = MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);
    }
#ifdef OPEN_MPI
    if (code == MPI_SUCCESS)
        code = find_nodes(mpi);
#endif
    if (code != MPI_SUCCESS) {
        enum ar_status status = ar_mpi_fail(error, &mpi->end, code, "starting MPI");
        free(mpi);
        return status;
    }
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    ar_witness_expect(mpi->end.nranks);
    MPI_Get_library_version(text, &length);
    shorten_version(text, name);
    *version = name;
    *end = &mpi->end;
    return AR_OK;
}

void ar_mpi_close(struct ar_end *end)
{
    end->transport->close(end);
    MPI_Finalize();
}

_Noreturn void ar_mpi_abort(int exit_code)
{
    int begun = 0, ended = 0;
    fflush(NULL); /* MPI_Abort loses what is still in buffers */
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        MPI_Abort(MPI_COMM_WORLD, exit_code);
    _Exit(exit_code);
}

/* ---- Collective calls -------------------------------------------------------------------------------- */

void ar_mpi_barrier(struct ar_end *end)
{
    ar_mpi_must(end, MPI_Barrier(mpi_of(end)->comm));
}

void ar_mpi_share(struct ar_end *end, const void *mine, int bytes, void *all)
{
    ar_mpi_must(end, MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, mpi_of(end)->comm));
}

int64_t ar_mpi_max(struct ar_end *end, int64_t mine)
{
    int64_t largest = mine;
    ar_mpi_must(end, MPI_Allreduce(&mine, &largest, 1, MPI_INT64_T, MPI_MAX, mpi_of(end)->comm));
    return largest;
}
