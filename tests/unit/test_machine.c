/* What the machine says of itself holds together, and follows the binding. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "collectives/base/memory.h"
#include "topologies/machine.h"

static struct ar_machine read_machine(const char *when)
{
    struct ar_machine machine;
    struct ar_error error = {""};
    memset(&machine, 0x55, sizeof machine); /* so that a field left out shows */
    cr_assert_eq(ar_machine_read(&machine, &error), AR_OK, "%s: %s", when, error.text);
    return machine;
}

static void bind_to(const cpu_set_t *cpus, const char *when)
{
    cr_assert_eq(sched_setaffinity(0, sizeof *cpus, cpus), 0, "%s: sched_setaffinity failed", when);
}

static bool is_text(const char *text, size_t size)
{
    return text[0] != '\0' && memchr(text, '\0', size) != NULL;
}

Test(machine, describes_itself)
{
    struct ar_machine machine = read_machine("as started");
    cr_assert_geq(machine.cores, 1, "cores: %d", machine.cores);
    cr_assert_geq(machine.hardware_threads, machine.cores, "%d threads on %d cores", machine.hardware_threads,
                  machine.cores);
    cr_assert_geq(machine.bound_cores, 1, "bound cores: %d", machine.bound_cores);
    cr_assert_leq(machine.bound_cores, machine.cores, "bound to %d of %d cores", machine.bound_cores,
                  machine.cores);
    cr_assert_gt(machine.memory_bytes, 0);
    cr_assert_eq(machine.memory_bytes, ar_memory_of_machine(), "the line and the memory check must agree");
    cr_assert(is_text(machine.host, sizeof machine.host), "host");
    cr_assert(is_text(machine.processor, sizeof machine.processor), "processor");
    cr_assert(is_text(machine.binding, sizeof machine.binding), "binding");
    cr_assert(is_text(machine.cpus, sizeof machine.cpus), "cpus");
    cr_assert_not_null(memchr(machine.boot, '\0', sizeof machine.boot), "boot is not terminated");
    cr_assert_null(strstr(machine.processor, "  "), "padded processor name: '%s'", machine.processor);
}

Test(machine, reads_the_same_twice)
{
    struct ar_machine first = read_machine("first"), second = read_machine("second");
    cr_assert_str_eq(first.host, second.host);
    cr_assert_str_eq(first.boot, second.boot);
    cr_assert_str_eq(first.binding, second.binding);
    cr_assert_eq(first.cores, second.cores);
}

/* Bound to one hardware thread after the other, it is on one core and says which thread; free again, it says
 * what it said at first. */
Test(machine, follows_the_binding)
{
    struct ar_machine before = read_machine("as started");
    cpu_set_t all;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    int tried = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && tried < 16; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        char when[32], number[16];
        snprintf(when, sizeof when, "bound to cpu %zu", cpu);
        snprintf(number, sizeof number, "%zu", cpu);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        bind_to(&one, when);
        struct ar_machine bound = read_machine(when);
        cr_assert_eq(bound.bound_cores, 1, "%s: on %d cores", when, bound.bound_cores);
        cr_assert_str_eq(bound.cpus, number, "%s: says '%s'", when, bound.cpus);
        cr_assert_eq(bound.cores, before.cores, "%s: the machine must not shrink, %d cores", when,
                     bound.cores);
        if (bound.hardware_threads > 1)
            cr_assert_eq(strncmp(bound.binding, "core ", 5), 0, "%s: says '%s'", when, bound.binding);
        tried++;
    }
    bind_to(&all, "freed");
    struct ar_machine after = read_machine("freed");
    cr_assert_str_eq(after.binding, before.binding, "'%s' became '%s'", before.binding, after.binding);
    cr_assert_eq(after.bound_cores, before.bound_cores);
}
