#include "collectives/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void *grow(void *old, size_t count, size_t size)
{
    size_t bytes;
    void *made = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes))
        made = old ? realloc(old, bytes ? bytes : 1) : calloc(bytes ? bytes : 1, 1);
    if (!made) {
        fprintf(stderr, "out of memory: %zu elements of %zu B were wanted\n", count, size);
        abort();
    }
    return made;
}

void *ar_alloc(size_t count, size_t size)
{
    return grow(NULL, count, size);
}

void *ar_realloc(void *old, size_t count, size_t size)
{
    return grow(old, count, size);
}

/* ---- How much there is ------------------------------------------------------------------------------- */

/* The number in the file, UINT64_MAX when there is none ("max") or no such file. */
static uint64_t number_in_file(const char *path)
{
    FILE *file = fopen(path, "r");
    uint64_t number = UINT64_MAX;
    if (file) {
        if (fscanf(file, "%" SCNu64, &number) != 1)
            number = UINT64_MAX;
        fclose(file);
    }
    return number;
}

/* The lowest limit of the group and all groups around it. In a container the group's path may be one of the
 * host and not be found here; the mount's root, tried last, is then the container's own group. */
static uint64_t limit_of_group(const char *mount, char *group, const char *name)
{
    uint64_t lowest = UINT64_MAX;
    for (;;) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s%s/%s", mount, group, name) < (int)sizeof path) {
            uint64_t limit = number_in_file(path);
            lowest = limit < lowest ? limit : lowest;
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return lowest;
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup: "0::/group" (version 2), "7:memory:/group" (version 1); see cgroups(7). */
static uint64_t limit_of_cgroups(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    uint64_t lowest = UINT64_MAX;
    char line[2048];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line, *group;
        strsep(&rest, ":");
        const char *controllers = strsep(&rest, ":");
        if (!(group = rest))
            continue;
        uint64_t limit = UINT64_MAX;
        if (!*controllers)
            limit = limit_of_group("/sys/fs/cgroup", group, "memory.max");
        else if (strcmp(controllers, "memory") == 0)
            limit = limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        lowest = limit < lowest ? limit : lowest;
    }
    if (file)
        fclose(file);
    return lowest;
}

/* What ulimit -v leaves this process. */
static uint64_t limit_of_process(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

uint64_t ar_memory_of_machine(void)
{
    static _Atomic uint64_t
        known; /* neither the machine nor the cgroup changes under us; reading costs files */
    if (known == 0) {
        long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
        uint64_t physical = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
        uint64_t limit = limit_of_cgroups();
        known = limit < physical ? limit : physical;
    }
    uint64_t process = limit_of_process();
    return process < known ? process : known;
}

/* "1.2 TB (1.1 TiB)" */
static void both_units(char text[64], double bytes)
{
    static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double in_decimal = bytes, in_binary = bytes;
    int d = 0, b = 0;
    for (; in_decimal >= 999.95 && d < 6; d++)
        in_decimal /= 1000;
    for (; in_binary >= 1023.95 && b < 6; b++)
        in_binary /= 1024;
    snprintf(text, 64, "%.*f %s (%.*f %s)", d > 0, in_decimal, decimal[d], b > 0, in_binary, binary[b]);
}

enum ar_status ar_memory_check(double bytes, const char *what, struct ar_error *error)
{
    double machine = (double)ar_memory_of_machine();
    if (bytes <= machine)
        return AR_OK;
    char needed[64], there[64];
    both_units(needed, bytes);
    both_units(there, machine);
    return ar_fail(error, AR_NO_MEMORY, "%s needs %s, this machine has %s", what, needed, there);
}
