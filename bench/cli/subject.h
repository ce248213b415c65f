/* What an argument names: algorithms of the registry, or a schedule somebody wrote.
 *
 *     struct ar_subject subject;
 *     status = ar_subject_find(&subject, "allreduce", error);                         the name, the file
 *     status = ar_subject_settle(&subject, &session, &ranks, root, &most, error);     the numbers of ranks
 *     ar_subject_free(&subject);
 */
#pragma once

#include <stdbool.h>

#include "bench/cli/options.h"
#include "bench/cli/session.h"
#include "bench/import/schedule_file.h"

struct ar_subject {
    const char *text;         /* the argument; NULL: everything */
    struct ar_choice *choice; /* nchoices algorithms; none: a file */
    int nchoices;
    struct ar_schedule_file file; /* zero unless it was read */
};

/* Whether the text names a schedule file rather than algorithms: it ends in .json, looks like a path, or is
 * one. */
bool ar_names_file(const char *text);

/* NULL: every algorithm; a collective: all of its own; an algorithm with parameters; or a file,
 * which is read. Release the subject also after a failure. */
enum ar_status ar_subject_find(struct ar_subject *subject, const char *text, struct ar_error *error);

/* Whose numbers of ranks count: those asked for, or where there are none the launcher's, or the file's;
 * `ranks` becomes them, *most the largest. What contradicts the launcher or the file is refused, and so is a
 * root (-1: not given) that none of the numbers admits. */
enum ar_status ar_subject_settle(const struct ar_subject *subject, const struct ar_session *session,
                                 struct ar_option_list *ranks, int64_t root, int *most,
                                 struct ar_error *error);

void ar_subject_free(struct ar_subject *subject);

/* ar_choice_parse for people, who may leave the algorithm out and are told which ones there are. */
enum ar_status ar_choose(const char *text, struct ar_choice *choice, struct ar_error *error);

/* For ar_option.parse of --algorithm: into the collective's own of AR_NCOLLECTIVES choices, once. */
enum ar_status ar_choose_once(const char *text, void *choices, struct ar_error *error);
