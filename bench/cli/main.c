/* The program: a table of commands. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

static const struct ar_command *const commands[] = {
#define AR_COMMAND(name) &ar_command_##name,
#include "bench/cli/commands.def"
#undef AR_COMMAND
};

enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
    printf("Usage: allround COMMAND [OPTION...]\n"
           "Collective communication: one schedule, proved, run, timed, priced and drawn.\n"
           "\n"
           "Commands:\n");
    for (int i = 0; i < NCOMMANDS; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "Examples:\n"
           "  allround list\n"
           "  allround explain allreduce:ring -n 4\n"
           "  allround verify --all -n 1..16\n"
           "  allround cost allreduce -n 64\n"
           "  mpiexec -n 2 allround bench allreduce\n"
           "  mpiexec -n 4 allround claim\n"
           "\n"
           "`allround COMMAND --help` explains a command; `allround --version` names the version.\n");
}

static enum ar_status run_command(int argc, char **argv, struct ar_error *error)
{
    struct ar_session session = {0};
    const struct ar_command *command = NULL;
    const struct ar_format *format = NULL;
    void *options = NULL;
    int which, nranks;
    enum ar_status status =
        ar_names_pick(AR_NAMES_POINTED(commands, NCOMMANDS), "command", argv[0], &which, error);
    if (status == AR_OK) {
        command = commands[which];
        options = memcpy(ar_alloc(1, command->size), command->defaults, command->size);
        status = ar_options_read(command, argc, argv, options, &format, error);
    }
    bool launched = ar_mpi_launched(NULL, &nranks);
    if (status != AR_OK) /* the other ranks may be waiting for this one */
        launched &= nranks != 1 && (!command || command->over_mpi);
    else
        launched &= format && command->over_mpi && command->over_mpi(options);
    if (launched)
        status = ar_session_open(&session, argc, argv, status, error);
    if (status == AR_OK && format)
        status = command->run(options, &session, format, error);
    if (command)
        ar_options_free(command, options);
    free(options);
    return ar_session_close(&session, status, error);
}

/* --help to a full disk must not look like success. Reports look after themselves, but this does no harm. */
static enum ar_status finish_output(struct ar_error *error)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return AR_OK;
    return ar_fail(error, AR_SYSTEM, "cannot write the output: %s",
                   errno ? strerror(errno) : "the stream failed before");
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    bool help = argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0;
    bool version = !help && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0);
    if (!help && !version)
        return run_command(argc - 1, argv + 1, error);
    if (ar_speaks() && help)
        print_usage();
    else if (ar_speaks())
        printf("allround " AR_VERSION "\n");
    return AR_OK;
}

int main(int argc, char **argv)
{
    struct ar_error error = {{0}};
    enum ar_status status = run(argc, argv, &error);
    if (status == AR_OK)
        status = finish_output(&error);
    /* A launcher ends all ranks when one exits with another status than 0. The ranks for which rank 0 speaks
     * leave that to it, or it might be ended before it has said why. */
    if (status == AR_OK || (!ar_speaks() && status != AR_SYSTEM))
        return 0;
    fprintf(stderr, "allround: %s\n", error.text);
    return status == AR_FAILED ? 1 : 2;
}
