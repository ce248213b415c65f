#include "bench/cli/subject.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"

bool ar_names_file(const char *text)
{
    size_t length = strlen(text), name = strcspn(text, ":");
    if (ar_collective_find(text) != AR_NCOLLECTIVES)
        return false;
    if (length > 5 && strcmp(text + length - 5, ".json") == 0)
        return true;
    return strcspn(text, "/.") < name || access(text, F_OK) == 0;
}

enum ar_status ar_subject_find(struct ar_subject *subject, const char *text, struct ar_error *error)
{
    enum ar_collective_id only = text ? ar_collective_find(text) : AR_NCOLLECTIVES;
    *subject = (struct ar_subject){.text = text};
    if (text && ar_names_file(text))
        return ar_schedule_read(text, &subject->file, error);
    subject->choice = ar_alloc((size_t)ar_nalgorithms, sizeof *subject->choice);
    if (text && only == AR_NCOLLECTIVES)
        return ar_choice_parse(text, &subject->choice[subject->nchoices++], error);
    for (int i = 0; i < ar_nalgorithms; i++)
        if (!text || ar_algorithms[i]->collective == only)
            subject->choice[subject->nchoices++] = ar_choice_default(ar_algorithms[i]);
    return AR_OK;
}

enum ar_status ar_subject_settle(const struct ar_subject *subject, const struct ar_session *session,
                                 struct ar_option_list *ranks, int64_t root, int *most,
                                 struct ar_error *error)
{
    const struct ar_problem *p = subject->choice ? NULL : &subject->file.problem;
    int64_t given = p ? p->nranks : 0;
    enum ar_status status = AR_OK;
    if (session->end)
        status = ar_session_ranks(session, ranks->value, ranks->n, "verify", &given, error);
    if (status != AR_OK)
        return status;
    if (ranks->n == 0 && given == 0)
        return ar_fail(error, AR_INVALID, "verify needs -n RANKS, e.g. -n 8 or -n 1..32");
    if (ranks->n == 0 || session->end) {
        ranks->value = ar_realloc(ranks->value, 1, sizeof *ranks->value);
        ranks->value[0] = given;
        ranks->n = 1;
    }
    for (int i = 0; i < ranks->n; i++) {
        if (p && ranks->value[i] != p->nranks)
            return ar_fail(error, AR_INVALID, "-n: %.400s is for %d ranks", subject->text, p->nranks);
        *most = i == 0 || ranks->value[i] > *most ? (int)ranks->value[i] : *most;
    }
    if (p && root >= 0 && root != p->root)
        return ar_fail(error, AR_INVALID, "--root: %.400s is for root %d", subject->text, p->root);
    if (root >= *most)
        return ar_fail(error, AR_INVALID, "--root: expected 0..%d, got %d", *most - 1, (int)root);
    return AR_OK;
}

void ar_subject_free(struct ar_subject *subject)
{
    free(subject->choice);
    ar_schedule_file_free(&subject->file);
}

enum ar_status ar_choose(const char *text, struct ar_choice *choice, struct ar_error *error)
{
    enum ar_collective_id collective = ar_collective_find(text);
    if (collective == AR_NCOLLECTIVES)
        return ar_choice_parse(text, choice, error);
    struct ar_text known = {0};
    for (int i = 0; i < ar_nalgorithms; i++)
        if (ar_algorithms[i]->collective == collective)
            ar_text_add(&known, "%s%s:%s", known.length ? ", " : "", text, ar_algorithms[i]->name);
    ar_fail(error, AR_INVALID, "%s: which algorithm? there are %s", text, known.data);
    ar_text_free(&known);
    return AR_INVALID;
}

enum ar_status ar_choose_once(const char *text, void *choices, struct ar_error *error)
{
    struct ar_choice choice, *all = choices;
    enum ar_status status = ar_choose(text, &choice, error);
    if (status != AR_OK)
        return status;
    enum ar_collective_id collective = choice.algorithm->collective;
    if (all[collective].algorithm)
        return ar_fail(error, AR_INVALID, "--algorithm: %s is given twice", ar_collectives[collective].name);
    all[collective] = choice;
    return AR_OK;
}
