#include "topologies/machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hwloc.h>

#include "collectives/base/memory.h"
#include "collectives/base/units.h"

/* Copies `from` without leading, trailing and doubled blanks; model names are padded with them. */
static void copy_squeezed(char *to, size_t size, const char *from)
{
    size_t length = 0;
    for (; *from && length + 1 < size; from++)
        if (*from != ' ' || (length > 0 && to[length - 1] != ' '))
            to[length++] = *from;
    if (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
}

static void read_boot(char *boot, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(boot, (int)size, file))
        boot[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* Virtual machines and some processors show no cores; then every hardware thread counts as one. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static void read_processor(struct ar_machine *machine, hwloc_topology_t topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    copy_squeezed(machine->processor, sizeof machine->processor, model ? model : "");
    if (!machine->processor[0])
        snprintf(machine->processor, sizeof machine->processor, "unknown processor");
}

/* The binding of the calling thread, not the union over all threads: helper threads of the MPI library may
 * roam where the one that works must not. */
static void read_binding(struct ar_machine *machine, hwloc_topology_t topology)
{
    hwloc_obj_type_t type = core_type(topology);
    hwloc_const_bitmap_t all = hwloc_topology_get_allowed_cpuset(topology);
    hwloc_bitmap_t mine = hwloc_bitmap_alloc(), cores = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(mine, all); /* a system without binding */
    hwloc_bitmap_and(mine, mine, all);
    for (int i = 0; i < machine->cores; i++)
        if (hwloc_bitmap_intersects(hwloc_get_obj_by_type(topology, type, (unsigned)i)->cpuset, mine))
            hwloc_bitmap_set(cores, (unsigned)i);
    machine->bound_cores = hwloc_bitmap_weight(cores);
    hwloc_bitmap_list_snprintf(machine->cpus, sizeof machine->cpus, mine);
    char list[sizeof machine->binding - sizeof "cores "];
    bool whole = hwloc_bitmap_list_snprintf(list, sizeof list, cores) < (int)sizeof list;
    if (hwloc_bitmap_isequal(mine, all))
        snprintf(machine->binding, sizeof machine->binding, "not bound");
    else if (whole)
        snprintf(machine->binding, sizeof machine->binding, "core%s %s", machine->bound_cores == 1 ? "" : "s",
                 list);
    else
        snprintf(machine->binding, sizeof machine->binding, "%d of the cores", machine->bound_cores);
    hwloc_bitmap_free(mine);
    hwloc_bitmap_free(cores);
}

/* Only what is asked about: caches, and above all I/O devices, take longer than the rest together. */
static int load_little(hwloc_topology_t topology)
{
    if (hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) != 0)
        return -1;
    return hwloc_topology_load(topology);
}

/* With `load` (hwloc_topology_load for everything). The caller destroys the topology after success. */
static enum ar_status open_topology(hwloc_topology_t *topology, int (*load)(hwloc_topology_t),
                                    struct ar_error *error)
{
    setenv("HWLOC_HIDE_ERRORS", "2",
           0); /* where /sys is missing it would print; what matters we say ourselves */
    if (hwloc_topology_init(topology) != 0)
        return ar_fail(error, AR_SYSTEM, "hwloc could not start: %s", strerror(errno));
    if (load(*topology) == 0)
        return AR_OK;
    enum ar_status status =
        ar_fail(error, AR_SYSTEM, "hwloc could not read this machine: %s", strerror(errno));
    hwloc_topology_destroy(*topology);
    return status;
}

enum ar_status ar_machine_read(struct ar_machine *machine, struct ar_error *error)
{
    hwloc_topology_t topology;
    enum ar_status status = open_topology(&topology, load_little, error);
    if (status != AR_OK)
        return status;
    struct ar_machine made = {.memory_bytes = ar_memory_of_machine()};
    if (gethostname(made.host, sizeof made.host - 1) != 0)
        snprintf(made.host, sizeof made.host, "unknown host");
    read_boot(made.boot, sizeof made.boot);
    made.cores = hwloc_get_nbobjs_by_type(topology, core_type(topology));
    made.hardware_threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    read_processor(&made, topology);
    read_binding(&made, topology);
    hwloc_topology_destroy(topology);
    *machine = made;
    return AR_OK;
}

/* ---- The parts --------------------------------------------------------------------------------------- */

static void draw(hwloc_obj_t object, int depth, struct ar_text *drawing)
{
    char type[64], size[AR_UNITS_TEXT];
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    ar_text_add(drawing, "%*s%s", 2 * depth, "", object->type == HWLOC_OBJ_PACKAGE ? "socket" : type);
    if (object->logical_index != HWLOC_UNKNOWN_INDEX && object->parent)
        ar_text_add(drawing, " %u", object->logical_index);
    if (hwloc_obj_type_is_cache(object->type))
        ar_text_add(drawing, ", %s", ar_format_size(size, object->attr->cache.size));
    else if (object->type == HWLOC_OBJ_NUMANODE)
        ar_text_add(drawing, ", %s", ar_format_size(size, object->attr->numanode.local_memory));
    ar_text_add(drawing, "\n");
    for (hwloc_obj_t child = object->memory_first_child; child; child = child->next_sibling)
        draw(child, depth + 1, drawing);
    for (unsigned i = 0; i < object->arity; i++)
        draw(object->children[i], depth + 1, drawing);
}

enum { MOST_LEVELS = 8 }; /* as many as descriptions have */

static void describe(hwloc_topology_t topology, struct ar_text *description)
{
    hwloc_obj_type_t core = core_type(topology);
    hwloc_obj_t object = hwloc_get_root_obj(topology);
    unsigned arity[MOST_LEVELS];
    int n = 0;
    bool alike = object->symmetric_subtree;
    for (; object->type != core && object->arity > 0; object = object->children[0])
        if (object->arity > 1 && n < MOST_LEVELS)
            arity[n++] = object->arity;
    if (!alike || n < 2)
        ar_text_add(description, "crossbar:%d", hwloc_get_nbobjs_by_type(topology, core));
    else
        while (n-- > 0) /* descriptions begin at the cores */
            ar_text_add(description, "%s%u", description->length ? "x" : "xgft:m=", arity[n]);
}

enum ar_status ar_machine_draw(struct ar_text *drawing, struct ar_text *description, struct ar_error *error)
{
    hwloc_topology_t topology;
    enum ar_status status = open_topology(&topology, hwloc_topology_load, error);
    if (status != AR_OK)
        return status;
    draw(hwloc_get_root_obj(topology), 0, drawing);
    describe(topology, description);
    hwloc_topology_destroy(topology);
    return AR_OK;
}
