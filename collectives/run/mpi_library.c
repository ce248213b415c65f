#include "collectives/run/mpi_library.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "collectives/base/memory.h"
#include "collectives/layout.h"
#include "collectives/run/mpi_end.h"

static MPI_Comm comm_of(struct ar_end *end)
{
    return *(MPI_Comm *)ar_mpi_comm(end);
}

struct ar_library_call {
    struct ar_library_setup setup;
    struct ar_end *end;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op; /* MPI_OP_NULL where the collective does not reduce */
    int count, *part_length, *part_offset;
    bool equal; /* all parts have one length */
    /* All-to-all: the own row, and of every rank's what is for this one. */
    unsigned char *sent, *received;
    int *received_length, *received_offset;
};

/* ---- What MPI has ------------------------------------------------------------------------------------ */

/* For those that MPI cannot combine a type of the same size, which serves to move them. */
static MPI_Datatype type_of(enum ar_type type, bool *combines)
{
    *combines = true;
    switch (type) {
    case AR_TYPE_int8:
        return MPI_INT8_T;
    case AR_TYPE_int16:
        return MPI_INT16_T;
    case AR_TYPE_int32:
        return MPI_INT32_T;
    case AR_TYPE_int64:
        return MPI_INT64_T;
    case AR_TYPE_uint8:
        return MPI_UINT8_T;
    case AR_TYPE_uint16:
        return MPI_UINT16_T;
    case AR_TYPE_uint32:
        return MPI_UINT32_T;
    case AR_TYPE_uint64:
        return MPI_UINT64_T;
    case AR_TYPE_float32:
        return MPI_FLOAT;
    case AR_TYPE_float64:
        return MPI_DOUBLE;
    case AR_TYPE_float16:
    case AR_TYPE_bfloat16:
        *combines = false;
        return MPI_UINT16_T;
    case AR_NTYPES:
        break;
    }
    *combines = false;
    return MPI_DATATYPE_NULL;
}

static MPI_Op operator_of(const struct ar_operator *op)
{
    const struct {
        const char *name;
        MPI_Op op;
    } known[] = {{"sum", MPI_SUM}, {"prod", MPI_PROD}, {"min", MPI_MIN}, {"max", MPI_MAX}};
    for (size_t i = 0; op && i < sizeof known / sizeof *known; i++)
        if (strcmp(op->name, known[i].name) == 0)
            return known[i].op;
    return MPI_OP_NULL;
}

enum ar_status ar_library_admits(const struct ar_library_setup *setup, struct ar_error *error)
{
    bool combines;
    type_of(setup->type, &combines);
    const struct ar_collective *collective = &ar_collectives[setup->collective];
    if (!collective->token && (setup->count < 0 || setup->count > INT_MAX))
        return ar_fail(error, AR_INVALID,
                       "MPI's own %s: its counts are ints, expected 0..%d elements, got %" PRId64,
                       collective->name, INT_MAX, setup->count);
    if (collective->reduces && !combines)
        return ar_fail(error, AR_INVALID,
                       "MPI's own %s: MPI has no type %s, expected one of int8..uint64, "
                       "float32, float64",
                       collective->name, ar_types[setup->type].name);
    if (collective->reduces && operator_of(setup->op) == MPI_OP_NULL)
        return ar_fail(error, AR_INVALID,
                       "MPI's own %s: MPI has no operator %s, expected sum, prod, min or "
                       "max",
                       collective->name, setup->op ? setup->op->name : "given");
    return AR_OK;
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

static size_t elem_bytes_of(const struct ar_library_call *call)
{
    return ar_types[call->setup.type].bytes;
}

double ar_library_memory(const struct ar_library_setup *setup, int nranks)
{
    double vector_bytes = (double)setup->count * (double)ar_types[setup->type].bytes;
    double parts_bytes = (setup->collective == AR_COLLECTIVE_alltoall ? 4.0 : 2.0) * nranks * sizeof(int);
    if (ar_collectives[setup->collective].token)
        return parts_bytes;
    return (setup->collective == AR_COLLECTIVE_alltoall ? 2 : 1) * vector_bytes + parts_bytes;
}

/* Parts of one length, for this rank and from every one. */
static void make_rows(struct ar_library_call *call)
{
    int nranks = call->end->nranks, length = call->part_length[call->end->rank];
    call->received_length = ar_alloc((size_t)nranks, sizeof *call->received_length);
    call->received_offset = ar_alloc((size_t)nranks, sizeof *call->received_offset);
    for (int rank = 0; rank < nranks; rank++) {
        call->received_length[rank] = length;
        call->received_offset[rank] = rank * length;
    }
    call->sent = ar_alloc((size_t)call->count + 1, elem_bytes_of(call));
    call->received = ar_alloc((size_t)nranks * (size_t)length + 1, elem_bytes_of(call));
}

enum ar_status ar_library_open(struct ar_library_call **call, const struct ar_library_setup *setup,
                               struct ar_end *end, struct ar_error *error)
{
    enum ar_status status = ar_library_admits(setup, error);
    if (status != AR_OK)
        return status;
    if (setup->collective == AR_COLLECTIVE_alltoall && setup->count > INT_MAX - end->nranks)
        return ar_fail(error, AR_INVALID,
                       "MPI's own alltoall: its offsets are ints, expected at most %d elements, got %" PRId64,
                       INT_MAX - end->nranks, setup->count);
    bool combines;
    struct ar_library_call *made = ar_alloc(1, sizeof *made);
    *made = (struct ar_library_call){.setup = *setup,
                                     .end = end,
                                     .comm = comm_of(end),
                                     .type = type_of(setup->type, &combines),
                                     .op = operator_of(setup->op),
                                     .count = (int)setup->count,
                                     .equal = setup->count % end->nranks == 0};
    made->part_length = ar_alloc((size_t)end->nranks, sizeof *made->part_length);
    made->part_offset = ar_alloc((size_t)end->nranks, sizeof *made->part_offset);
    struct ar_layout layout = {.parts = end->nranks, .splits = 1, .count = setup->count};
    for (int part = 0; part < end->nranks; part++) {
        int64_t offset, length;
        ar_layout_block(&layout, part, &offset, &length);
        made->part_offset[part] = (int)offset;
        made->part_length[part] = (int)length;
    }
    if (setup->collective == AR_COLLECTIVE_alltoall)
        make_rows(made);
    *call = made;
    return AR_OK;
}

void ar_library_close(struct ar_library_call *call)
{
    if (!call)
        return;
    free(call->part_length);
    free(call->part_offset);
    free(call->sent);
    free(call->received);
    free(call->received_length);
    free(call->received_offset);
    free(call);
}

/* This rank's part. */
static void *part_of(const struct ar_library_call *call, void *vector)
{
    return (char *)vector + (size_t)call->part_offset[call->end->rank] * elem_bytes_of(call);
}

static int scatter(const struct ar_library_call *call, void *vector)
{
    int root = call->setup.root, n = call->part_length[call->end->rank];
    void *part = call->end->rank == root ? MPI_IN_PLACE : part_of(call, vector);
    if (call->equal)
        return MPI_Scatter(vector, n, call->type, part, n, call->type, root, call->comm);
    return MPI_Scatterv(vector, call->part_length, call->part_offset, call->type, part, n, call->type, root,
                        call->comm);
}

static int gather(const struct ar_library_call *call, void *vector)
{
    int root = call->setup.root, n = call->part_length[call->end->rank];
    const void *part = call->end->rank == root ? MPI_IN_PLACE : part_of(call, vector);
    if (call->equal)
        return MPI_Gather(part, n, call->type, vector, n, call->type, root, call->comm);
    return MPI_Gatherv(part, n, call->type, vector, call->part_length, call->part_offset, call->type, root,
                       call->comm);
}

static int alltoall(const struct ar_library_call *call)
{
    int n = call->part_length[call->end->rank];
    if (call->equal)
        return MPI_Alltoall(call->sent, n, call->type, call->received, n, call->type, call->comm);
    return MPI_Alltoallv(call->sent, call->part_length, call->part_offset, call->type, call->received,
                         call->received_length, call->received_offset, call->type, call->comm);
}

static int run(const struct ar_library_call *call, void *vector)
{
    int root = call->setup.root, n = call->count;
    bool is_root = call->end->rank == root;
    switch (call->setup.collective) {
    case AR_COLLECTIVE_broadcast:
        return MPI_Bcast(vector, n, call->type, root, call->comm);
    case AR_COLLECTIVE_reduce:
        return MPI_Reduce(is_root ? MPI_IN_PLACE : vector, is_root ? vector : NULL, n, call->type, call->op,
                          root, call->comm);
    case AR_COLLECTIVE_scatter:
        return scatter(call, vector);
    case AR_COLLECTIVE_gather:
        return gather(call, vector);
    case AR_COLLECTIVE_reduce_scatter:
        return MPI_Reduce_scatter(MPI_IN_PLACE, vector, call->part_length, call->type, call->op, call->comm);
    case AR_COLLECTIVE_allgather:
        return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, vector, call->part_length,
                              call->part_offset, call->type, call->comm);
    case AR_COLLECTIVE_allreduce:
        return MPI_Allreduce(MPI_IN_PLACE, vector, n, call->type, call->op, call->comm);
    case AR_COLLECTIVE_alltoall:
        return alltoall(call);
    case AR_COLLECTIVE_barrier:
        return MPI_Barrier(call->comm);
    case AR_NCOLLECTIVES:
        break;
    }
    return MPI_ERR_OTHER;
}

enum ar_status ar_library_run(struct ar_library_call *call, void *vector, struct ar_error *error)
{
    int code = run(call, vector);
    if (code == MPI_SUCCESS)
        return AR_OK;
    char what[64];
    snprintf(what, sizeof what, "MPI's own %s", ar_collectives[call->setup.collective].name);
    return ar_mpi_fail(error, call->end, code, what);
}

void ar_library_take(struct ar_library_call *call, const void *vector)
{
    size_t row_bytes = (size_t)call->count * elem_bytes_of(call);
    if (call->sent)
        memcpy(call->sent, (const char *)vector + (size_t)call->end->rank * row_bytes, row_bytes);
}

void ar_library_settle(const struct ar_library_call *call, void *vector)
{
    size_t elem_bytes = elem_bytes_of(call), row_bytes = (size_t)call->count * elem_bytes;
    size_t part_bytes = (size_t)call->part_length[call->end->rank] * elem_bytes;
    char *part = part_of(call, vector);
    if (call->setup.collective == AR_COLLECTIVE_reduce_scatter)
        memmove(part, vector, part_bytes);
    for (int source = 0; call->received && source < call->end->nranks; source++)
        memcpy(part + (size_t)source * row_bytes, call->received + (size_t)source * part_bytes, part_bytes);
}

/* ---- For measuring ----------------------------------------------------------------------------------- */

enum { MEETING = AR_LANES }; /* a tag that the transport does not use */

void ar_mpi_meet(struct ar_end *end)
{
    MPI_Comm comm = comm_of(end);
    for (int64_t distance = 1; distance < end->nranks; distance *= 2) {
        int to = (int)((end->rank + distance) % end->nranks);
        int from = (int)((end->rank - distance + end->nranks) % end->nranks);
        char sent = 0, received;
        ar_mpi_must(end, MPI_Sendrecv(&sent, 1, MPI_BYTE, to, MEETING, &received, 1, MPI_BYTE, from, MEETING,
                                      comm, MPI_STATUS_IGNORE));
    }
}

void ar_mpi_tell(struct ar_end *end, void *bytes, int n)
{
    ar_mpi_must(end, MPI_Bcast(bytes, n, MPI_BYTE, 0, comm_of(end)));
}

void ar_mpi_maxima(struct ar_end *end, double *value, int n)
{
    ar_mpi_must(end, MPI_Allreduce(MPI_IN_PLACE, value, n, MPI_DOUBLE, MPI_MAX, comm_of(end)));
}
