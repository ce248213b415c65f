/* The program: a table of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "collectives/base/memory.h"

static const struct ar_command *const commands[] = {
#define AR_COMMAND(name) &ar_command_##name,
#include "bench/cli/commands.def"
#undef AR_COMMAND
};

enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
    printf("Usage: allround COMMAND [OPTION...]\n"
           "Collective communication: one schedule, proved, run, counted and drawn.\n"
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
           "  mpiexec -n 4 allround claim\n"
           "\n"
           "`allround COMMAND --help` explains a command; `allround --version` names the version.\n");
}

static enum ar_status run_command(int argc, char **argv, struct ar_error *error)
{
    int which;
    enum ar_status status =
        ar_names_pick(AR_NAMES_POINTED(commands, NCOMMANDS), "command", argv[0], &which, error);
    if (status != AR_OK)
        return status;
    const struct ar_command *command = commands[which];
    const struct ar_format *format;
    void *options = memcpy(ar_alloc(1, command->size), command->defaults, command->size);
    status = ar_options_read(command, argc, argv, options, &format, error);
    if (status == AR_OK && format)
        status = command->run(options, format, error);
    ar_options_free(command, options);
    free(options);
    return status;
}

int main(int argc, char **argv)
{
    bool help = argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0;
    if (help || strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        if (ar_speaks() && help)
            print_usage();
        else if (ar_speaks())
            printf("allround " AR_VERSION "\n");
        return 0;
    }
    struct ar_error error = {{0}};
    enum ar_status status = run_command(argc - 1, argv + 1, &error);
    /* A launcher ends all ranks when one exits with another status than 0. The ranks for which rank 0 speaks
     * leave that to it, or it might be ended before it has said why. */
    if (status == AR_OK || (!ar_speaks() && status != AR_SYSTEM))
        return 0;
    fprintf(stderr, "allround: %s\n", error.text);
    return status == AR_FAILED ? 1 : 2;
}
