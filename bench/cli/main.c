/* The program: a table of commands. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cli/cli.h"
#include "collectives/base/memory.h"
#include "collectives/base/text.h"

const struct ar_command *const ar_commands[] = {
#define AR_COMMAND(name) &ar_command_##name,
#include "bench/cli/commands.def"
#undef AR_COMMAND
};

const int ar_ncommands = sizeof ar_commands / sizeof *ar_commands;

const char *argp_program_version = "allround " AR_VERSION;

static void print_usage(void)
{
    printf("Usage: allround COMMAND [OPTION...]\n"
           "Collective communication: one schedule, proved, run, counted and drawn.\n"
           "\n"
           "Commands:\n");
    for (int i = 0; i < ar_ncommands; i++)
        printf("  %-10s %s\n", ar_commands[i]->name, ar_commands[i]->summary);
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

static const struct ar_command *find_command(const char *name, struct ar_error *error)
{
    const char **known = ar_alloc((size_t)ar_ncommands, sizeof *known);
    const struct ar_command *found = NULL;
    for (int i = 0; i < ar_ncommands; i++) {
        known[i] = ar_commands[i]->name;
        if (strcmp(known[i], name) == 0)
            found = ar_commands[i];
    }
    if (!found)
        ar_fail_unknown(error, "command", name, known, (size_t)ar_ncommands);
    free(known);
    return found;
}

static enum ar_status run_command(int argc, char **argv, struct ar_error *error)
{
    const struct ar_command *command = find_command(argv[1], error);
    if (!command)
        return AR_INVALID;
    static char name[64]; /* what argp calls the program, from here on */
    snprintf(name, sizeof name, "allround %s", command->name);
    char **arguments = ar_alloc((size_t)argc, sizeof *arguments); /* the rest of argv and its NULL */
    memcpy(arguments, argv + 1, (size_t)argc * sizeof *arguments);
    arguments[0] = name;
    enum ar_status status = command->run(argc - 1, arguments, error);
    free(arguments);
    return status;
}

/* A launcher ends all ranks when the first one fails; the others leave rank 0 the time to say why. */
static void let_rank_0_speak(int exit_status, void *nothing)
{
    (void)nothing;
    const struct timespec moment = {0, 300 * 1000 * 1000};
    if (exit_status != 0)
        nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
    argp_err_exit_status = 2;
    if (!ar_speaks())
        on_exit(let_rank_0_speak, NULL); /* argp exits by itself too */
    bool help = argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0;
    if (help || strcmp(argv[1], "--version") == 0) {
        if (ar_speaks() && help)
            print_usage();
        else if (ar_speaks())
            printf("%s\n", argp_program_version);
        return 0;
    }
    struct ar_error error = {{0}};
    enum ar_status status = run_command(argc, argv, &error);
    if (status != AR_OK && (ar_speaks() || status == AR_SYSTEM))
        fprintf(stderr, "allround: %s\n", error.text);
    return status == AR_OK ? 0 : status == AR_FAILED ? 1 : 2;
}
