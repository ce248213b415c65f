/* Files that people write: what is read from them, and what is said about mistakes, to the column. */
#include "bench/import/schedule_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/import/json.h"
#include "bench/import/model_file.h"
#include "collectives/messages.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"

/* Files are written to a directory of their own and named without it, so that sentences are known. */
static void enter_directory(void)
{
    char name[] = P_tmpdir "/allround-import-XXXXXX";
    cr_assert(mkdtemp(name) && chdir(name) == 0);
}

static void leave_directory(void)
{
    char *name = getcwd(NULL, 0);
    cr_assert(name && chdir("/") == 0 && rmdir(name) == 0, "%s", name);
    free(name);
}

static void put(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(name, "wb");
    cr_assert(file && fwrite(text, 1, length, file) == length && fclose(file) == 0);
}

struct bad {
    const char *text, *sentence;
};

#define NAME_OF_27 "abcdefghijklmnopqrstuvwxyz\u00e4"
#define LONG_NAME NAME_OF_27 NAME_OF_27 NAME_OF_27

/* Some editors put it before UTF-8. */
#define MARK "\xEF\xBB\xBF"

/* ---- Models ------------------------------------------------------------------------------------------ */

static void read_model(const char *name, const char *text, struct ar_model *model)
{
    struct ar_error error;
    put(name, text, strlen(text));
    cr_assert_eq(ar_model_read(name, model, &error), AR_OK, "%s", error.text);
    cr_assert_eq(remove(name), 0);
}

Test(model_file, accepts_json_and_csv)
{
    enter_directory();
    struct ar_model model = {0};
    read_model("t.json",
               "{\"name\": \"tiny\", \"layers\": [{\"parameters\": 4096, \"name\": \"embedding\"},\n"
               " {\"name\": \"bl\\u00f6ck\", \"parameters\": 9223372036854771711}]}",
               &model);
    cr_assert_str_eq(model.name, "tiny");
    cr_assert_eq(model.nlayers, 2);
    cr_assert_eq(model.layer[0].parameters, 4096);
    cr_assert_str_eq(model.layer[1].name, "bl\u00f6ck");
    cr_assert_eq(model.parameters, INT64_MAX);
    ar_model_free(&model);

    read_model("my.model.csv", "name,elements\r\n\"block 0, attention\", 12 \r\n\r\n\"say \"\"x\"\"\",1",
               &model);
    cr_assert_str_eq(model.name, "my.model");
    cr_assert_eq(model.nlayers, 2);
    cr_assert_str_eq(model.layer[0].name, "block 0, attention");
    cr_assert_str_eq(model.layer[1].name, "say \"x\"");
    cr_assert_eq(model.parameters, 13);
    ar_model_free(&model);

    read_model("t.csv", "name,parameters\na,3\n", &model);
    cr_assert_eq(model.parameters, 3);
    uint64_t digest = model.digest;
    ar_model_free(&model);
    read_model("t.csv", MARK "name,parameters\na,3\n", &model);
    cr_expect_eq(model.digest, digest);
    ar_model_free(&model);
    read_model("t.csv", "name,parameters\na,4\n", &model);
    cr_expect_neq(model.digest, digest);
    ar_model_free(&model);
    read_model("t.json", MARK "{\"name\": \"t\", \"layers\": [{\"name\": \"a\", \"elements\": 4}]}", &model);
    cr_expect_neq(model.digest, 0);
    ar_model_free(&model);
    read_model("t.json", "{\"name\": \"t\", \"layers\": [{\"name\": \"a\", \"elements\": 4}]}", &model);
    cr_assert_eq(model.parameters, 4);
    ar_model_free(&model);
    leave_directory();
}

/* What --help shows can be copied. */
Test(model_file, the_help_is_right)
{
    static const char help[] = AR_MODEL_HELP;
    enter_directory();
    struct ar_text csv = {0}, json = {0};
    struct ar_model model = {0};
    const char *line = strchr(help, '\n') + 1; /* the rest is two columns */
    size_t column = (size_t)(strchr(line, '{') - line);
    for (; *line; line = strchr(line, '\n') + 1) {
        ar_text_add(&csv, "%.*s\n", (int)strcspn(line + 2, " \n"), line + 2);
        ar_text_add(&json, "%.*s\n", (int)strcspn(line + column, "\n"), line + column);
    }
    for (int i = 0; i < 2; i++) {
        read_model(i ? "t.json" : "t.csv", i ? json.data : csv.data, &model);
        cr_expect_eq(model.nlayers, 2);
        cr_expect_eq(model.parameters, 4096 + 12288);
        ar_model_free(&model);
    }
    ar_text_free(&csv);
    ar_text_free(&json);
    leave_directory();
}

static const struct bad bad_models_json[] = {
    {"", "t.json:1:1: '[' or '{' expected near end of file"},
    {"{\"name\": \"x\",\n \"layers\" []}", "t.json:2:11: ':' expected near '['"},
    {"{\"name\": \"x\",\n \"name\": \"y\"}", "t.json:2:7: duplicate object key near '\"name\"'"},
    {"[]", "t.json:1:1: expected an object, got an array"},
    {"{\"name\": \"x\"}", "t.json:1:1: the key \"layers\" is missing here"},
    {"{\"name\": 7, \"layers\": []}", "t.json:1:10: name: expected a string, got 7"},
    {MARK "{\"name\": \"x\", \"layers\": []}", "t.json:1:25: layers: expected at least one"},
    {"{\"name\": \"\\u001bc\", \"layers\": []}",
     "t.json:1:10: name: expected no control characters, got '\\x1bc'"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"" LONG_NAME "\", \"parameters\": 1}]}",
     "t.json:1:35: name: expected at most 80 characters, got 81"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parameters\": 1.50e1}]}",
     "t.json:1:54: parameters: expected a whole number in 1..9223372036854775807, got 1.50e1"},
    {"{\"name\": \"x\", \"layers\": {}}", "t.json:1:25: layers: expected an array, got an object"},
    {"{\"name\": \"x\",\n  \"layrs\": []}", "t.json:2:3: unknown key 'layrs', did you mean 'layers'?"},
    {"{\"name\": \"x\", \"layers\": [\n  {\"name\": \"a\", \"parameters\": 1},\n  {\"name\": \"\u00e4\", "
     "\"parameters\": -4}]}",
     "t.json:3:31: parameters: expected a whole number in 1..9223372036854775807, got -4"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parameters\": 0}]}",
     "t.json:1:54: parameters: expected a whole number in 1..9223372036854775807, got 0"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parameters\": 1.5}]}",
     "t.json:1:54: parameters: expected a whole number in 1..9223372036854775807, got 1.5"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parameters\": \"12\"}]}",
     "t.json:1:54: parameters: expected a whole number in 1..9223372036854775807, got \"12\""},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parameters\": 9223372036854775808}]}",
     "t.json:1:72: too big integer near '9223372036854775808'"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\"}]}",
     "t.json:1:26: the key \"parameters\" is missing here"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"parmeters\": 1}]}",
     "t.json:1:40: unknown key 'parmeters', did you mean 'parameters'?"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"elements\": 0}]}",
     "t.json:1:52: elements: expected a whole number in 1..9223372036854775807, got 0"},
    {"{\"name\": \"x\", \"layers\": [{\"name\": \"a\", \"elements\": 1, \"parameters\": 1}]}",
     "t.json:1:55: unknown key 'parameters', expected one of name, elements"},
    {"{\"name\": \"x\", \"layers\": [7]}", "t.json:1:26: expected an object, got 7"},
};

static const struct bad bad_models_csv[] = {
    {"", "t.csv:1:1: expected the heading name,parameters and at least one layer"},
    {"name,elements\n", "t.csv:2:1: expected the heading name,parameters and at least one layer"},
    {"layer,elements\na,1\n", "t.csv:1:1: expected the heading name,parameters, got 'layer'"},
    {"name,size\na,1\n", "t.csv:1:6: expected the heading name,parameters, got 'size'"},
    {MARK "name,size\na,1\n", "t.csv:1:6: expected the heading name,parameters, got 'size'"},
    {"name,elements\n\"a\nb\",1\n", "t.csv:2:1: name: expected no control characters, got 'a\\x0ab'"},
    {"name,elements\n" LONG_NAME ",1\n", "t.csv:2:1: name: expected at most 80 characters, got 81"},
    {"name,elements\na,\x1b[2J\n",
     "t.csv:2:3: elements: expected a count such as 1000 or 7.5e9, got '\\x1b[2J'"},
    {"name,elements\na\n", "t.csv:2:2: expected two fields, name,parameters, got 1"},
    {"name,elements\na,1,2\n", "t.csv:2:5: expected two fields, name,parameters, got more"},
    {"name,parameters\na,x\n", "t.csv:2:3: parameters: expected a count such as 1000 or 7.5e9, got 'x'"},
    {"name,elements\na,1\nb,-3\n", "t.csv:3:3: elements: expected a count such as 1000 or 7.5e9, got '-3'"},
    {"name,elements\n\u00e4,  0\n", "t.csv:2:5: layer '\u00e4': expected at least 1 parameter, got 0"},
    {"name,elements\na,1.5\n", "t.csv:2:3: elements: expected a whole number, got '1.5'"},
    {"name,elements\na,9223372036854775808\n", "t.csv:2:3: elements: '9223372036854775808' is beyond 2^63-1"},
    {"name,elements\r\na,\r\n", "t.csv:2:3: elements: expected a count such as 1000 or 7.5e9, got ''"},
    {"name,elements\n\"a\"b,1\n", "t.csv:2:4: unexpected 'b' in a quoted field"},
    {"name,elements\n\"a,1\n", "t.csv:2:1: this quoted field is not closed"},
};

static void check_models(const char *name, const struct bad *bad, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ar_model model = {.nlayers = -1};
        struct ar_error error = {{0}};
        put(name, bad[i].text, strlen(bad[i].text));
        cr_expect_eq(ar_model_read(name, &model, &error), AR_INVALID, "%s", bad[i].text);
        cr_expect_str_eq(error.text, bad[i].sentence, "%s\n got: %s\nnot: %s", bad[i].text, error.text,
                         bad[i].sentence);
        cr_expect_eq(model.nlayers, -1, "the output was touched: %s", bad[i].text);
    }
    remove(name);
}

Test(model_file, refuses_with_the_place)
{
    enter_directory();
    check_models("t.json", bad_models_json, sizeof bad_models_json / sizeof *bad_models_json);
    check_models("t.csv", bad_models_csv, sizeof bad_models_csv / sizeof *bad_models_csv);
    struct ar_model model;
    struct ar_error error;
    cr_expect_eq(ar_model_read("none.csv", &model, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "cannot read none.csv: No such file or directory");
    cr_expect_eq(ar_model_read("model.txt", &model, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "model: expected a file ending in .json or .csv, got 'model.txt'");
    /* The sum of layers that are each possible. */
    static const char text[] = "name,elements\na,9223372036854775807\nb,1\n";
    put("t.csv", text, strlen(text));
    cr_expect_eq(ar_model_read("t.csv", &model, &error), AR_INVALID);
    cr_expect_eq(strncmp(error.text, "t.csv:3:3: ", 11), 0, "%s", error.text);
    put("t.csv", "name,elements\na\0b,1\n", 20);
    cr_expect_eq(ar_model_read("t.csv", &model, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "t.csv:2:1: expected text, got a NUL character");
    remove("t.csv");
    leave_directory();
}

/* ---- Schedules --------------------------------------------------------------------------------------- */

static struct ar_schedule_file read_schedule(const char *text)
{
    struct ar_schedule_file file;
    struct ar_error error;
    put("t.json", text, strlen(text));
    cr_assert_eq(ar_schedule_read("t.json", &file, &error), AR_OK, "%s", error.text);
    remove("t.json");
    return file;
}

Test(schedule_file, reads_every_kind_of_step)
{
    enter_directory();
    struct ar_schedule_file file = read_schedule(
        "{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 9, \"root\": 1, \"rounds\": [[\n"
        "[\"send 0-3 to 1\", \"send 8,4 , 5 of scratch to 1\", \"receive 7 into scratch from 1\"],\n"
        "[\"combine 0,1 from 0, other first\", \"combine 2 into scratch from 0\", \"copy 3 of input to "
        "scratch\",\n"
        " \"fold 4 of scratch\", \"fold 5 of input into scratch, other first\"]]]}");
    const char *const written[2][8] = {
        {"send 0-3 to 1", "send 8 of scratch to 1", "send 4 of scratch to 1", "send 5 of scratch to 1",
         "receive 7 into scratch from 1"},
        {"combine 0 from 0, other first", "combine 1 from 0, other first", "combine 2 into scratch from 0",
         "copy 3 of input to scratch", "fold 4 of scratch, held first",
         "fold 5 of input into scratch, other first"},
    };
    struct ar_step step[16];
    for (int rank = 0; rank < 2; rank++) {
        struct ar_sink sink = {step, 0, 16, NULL, 9};
        file.algorithm.round(&file.problem, rank, 0, &sink);
        for (int i = 0; i < sink.n; i++) {
            struct ar_text text = {0};
            ar_step_write(&step[i], &text);
            cr_expect_str_eq(text.data, written[rank][i]);
            ar_text_free(&text);
        }
        cr_expect_eq(sink.n, rank == 0 ? 5 : 6);
    }
    cr_expect_eq(file.problem.root, 1);
    cr_expect_str_eq(file.algorithm.name, "t.json");
    ar_schedule_file_free(&file);
    leave_directory();
}

Test(schedule_file, the_help_is_right)
{
    static const char help[] = AR_SCHEDULE_HELP;
    const char *begin = strchr(help, '{'), *end = strstr(help, "Steps");
    enter_directory();
    struct ar_text text = {0};
    ar_text_add_bytes(&text, begin, (size_t)(end - begin));
    struct ar_schedule_file file = read_schedule(text.data);
    struct ar_schedule schedule;
    struct ar_proof proof;
    struct ar_error error;
    cr_assert_eq(ar_schedule_of_problem(&schedule, &file.algorithm, &file.problem, &error), AR_OK);
    cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
    ar_schedule_free(&schedule);
    ar_schedule_file_free(&file);
    ar_text_free(&text);
    leave_directory();
}

#define TWO(step)                                                                                            \
    "{\"collective\": \"allreduce\", \"ranks\": 2, \"blocks\": 3, \"rounds\": [\n[[\"" step "\"], []]]}"

static const struct bad bad_schedules[] = {
    {"{\"colective\": \"allreduce\"}", "t.json:1:2: unknown key 'colective', did you mean 'collective'?"},
    {"{}", "t.json:1:1: the key \"collective\" is missing here"},
    {"{\"collective\": \"alreduce\", \"ranks\": 2}",
     "t.json:1:16: unknown collective 'alreduce', did you mean 'allreduce'?"},
    {"{\"collective\": \"reduce\", \"ranks\": 0}",
     "t.json:1:35: ranks: expected a whole number in 1..65536, got 0"},
    {"{\"collective\": \"reduce\", \"ranks\": 3.0}",
     "t.json:1:35: ranks: expected a whole number in 1..65536, got 3.0"},
    {"{\"name\": \"a\\nb\", \"collective\": \"reduce\"}",
     "t.json:1:10: name: expected no control characters, got 'a\\x0ab'"},
    {"{\"name\": \"" LONG_NAME "\", \"collective\": \"reduce\"}",
     "t.json:1:10: name: expected at most 80 characters, got 81"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 0}",
     "t.json:1:48: blocks: expected a whole number in 1..1048576, got 0"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 1, \"root\": 2}",
     "t.json:1:59: root: expected a whole number in 0..1, got 2"},
    {"{\"collective\": \"allreduce\", \"ranks\": 2, \"blocks\": 1, \"root\": 1}",
     "t.json:1:62: root: allreduce has none, got 1"},
    {"{\"collective\": \"allgather\", \"ranks\": 2, \"blocks\": 3}",
     "t.json:1:51: blocks: the blocks of allgather belong to ranks, expected a multiple of 2, got 3"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 1, \"rounds\": 3}",
     "t.json:1:61: rounds: expected an array, got 3"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 1, \"rounds\": [[[],[]],\n[[]]]}",
     "t.json:2:1: round 2: expected 2 lists of steps, one per rank, got 1"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 1, \"rounds\": [[[], \"send 0 to 1\"]]}",
     "t.json:1:67: expected the list of steps of rank 1, such as [\"send 0 to 1\"]"},
    {"{\"collective\": \"reduce\", \"ranks\": 2, \"blocks\": 1, \"rounds\": [[[], [4]]]}",
     "t.json:1:68: expected a step such as \"send 0 to 1\""},
    {TWO("sent 0 to 1"), "t.json:2:4: expected send, receive, combine, copy or fold, got 'sent'"},
    {TWO(""), "t.json:2:4: expected send, receive, combine, copy or fold, got the end of \"\""},
    {TWO("send to 1"), "t.json:2:9: expected a block such as 0, 0-3 or 0,4,2, got 'to'"},
    {TWO("send 3 to 1"), "t.json:2:9: block: expected 0..2, got 3"},
    {TWO("send 0-99999999999999999999 to 1"), "t.json:2:11: block: expected 0..2, got 99999999999999999999"},
    {TWO("send 2-1 to 1"), "t.json:2:9: a range of blocks ascends, got 2-1"},
    {TWO("send 0,x to 1"), "t.json:2:11: expected a block such as 0, 0-3 or 0,4,2, got 'x'"},
    {TWO("send 0 from 1"), "t.json:2:11: expected 'to' and a rank, got 'from'"},
    {TWO("send 0 to"), "t.json:2:13: expected a rank, got the end of \"send 0 to\""},
    {TWO("send 0 to 2"), "t.json:2:14: rank: expected 0..1, got 2"},
    {TWO("send 0 to 99999999999999999999999"),
     "t.json:2:14: rank: expected 0..1, got 99999999999999999999999"},
    {TWO("send0to1"), "t.json:2:4: expected send, receive, combine, copy or fold, got 'send0to1'"},
    {TWO("send 0to 1"), "t.json:2:9: expected a block such as 0, 0-3 or 0,4,2, got '0to'"},
    {TWO("send 0 to1"), "t.json:2:11: expected 'to' and a rank, got 'to1'"},
    {TWO("send 0 to 1x"), "t.json:2:14: expected a rank, got '1x'"},
    {TWO("send 0,1,0 to 1"), "t.json:2:4: block 0 is named twice in one message to rank 1"},
    {TWO("combine 0-2 from 1\", \"fold 1 of input\", \"receive 2 into scratch from 1"),
     "t.json:2:45: block 2 is named twice in one message from rank 1"},
    {TWO("send 0\\u001b[1m to 1"), "t.json:2:3: expected 'to' and a rank, got '\\x1b[1m'"},
    {TWO("send 0 to 0"), "t.json:2:14: rank 0 cannot exchange a message with itself"},
    {TWO("send 0 to 1 now"), "t.json:2:16: expected the end of the step, got 'now'"},
    {TWO("send 0 of vektor to 1"), "t.json:2:14: expected vector, input or scratch, got 'vektor'"},
    {TWO("receive 0 into input from 1"), "t.json:2:19: expected vector or scratch, got 'input'"},
    {TWO("receive 0 from 1, held first"), "t.json:2:20: expected the end of the step, got ','"},
    {TWO("combine 0 from 1, mine first"), "t.json:2:22: expected 'held first' or 'other first', got 'mine'"},
    {TWO("copy 0 to scratch"), "t.json:2:11: expected 'of' and a place, got 'to'"},
    {TWO("copy 0 of input"), "t.json:2:19: expected 'to' and a place, got the end of \"copy 0 of input\""},
    {TWO("fold 0 of input, first"), "t.json:2:21: expected 'held first' or 'other first', got 'first'"},
    {TWO("s\\u0065nd 0 to 9"), "t.json:2:3: rank: expected 0..1, got 9"}, /* with escapes: the string */
};

Test(schedule_file, refuses_with_the_place)
{
    enter_directory();
    for (size_t i = 0; i < sizeof bad_schedules / sizeof *bad_schedules; i++) {
        const struct bad *bad = &bad_schedules[i];
        struct ar_schedule_file file = {.problem.nranks = -1};
        struct ar_error error = {{0}};
        put("t.json", bad->text, strlen(bad->text));
        cr_expect_eq(ar_schedule_read("t.json", &file, &error), AR_INVALID, "%s", bad->text);
        cr_expect_str_eq(error.text, bad->sentence, "%s\n got: %s\nnot: %s", bad->text, error.text,
                         bad->sentence);
        cr_expect_eq(file.problem.nranks, -1, "the output was touched: %s", bad->text);
    }
    remove("t.json");
    leave_directory();
}

/* ---- There and back ---------------------------------------------------------------------------------- */

static void expect_same_round(const struct ar_schedule *a, const struct ar_schedule *b, int rank, int64_t k)
{
    struct ar_messages x = {0}, y = {0};
    struct ar_layout layout = ar_layout_of_blocks(ar_nblocks(a));
    ar_messages_of_round(a, &layout, rank, k, &x);
    ar_messages_of_round(b, &layout, rank, k, &y);
    bool same = x.nmessages == y.nmessages && x.nactions == y.nactions;
    for (int i = 0; same && i < x.nmessages; i++) {
        const struct ar_message *m = &x.message[i], *n = &y.message[i];
        same = m->peer == n->peer && m->sent == n->sent && m->elements == n->elements &&
               m->combined == n->combined;
    }
    for (int i = 0; same && i < x.nactions; i++) {
        const struct ar_action *m = &x.action[i], *n = &y.action[i];
        same = m->kind == n->kind && m->order == n->order && m->from == n->from && m->to == n->to &&
               m->message == n->message && m->offset == n->offset && m->length == n->length && m->at == n->at;
    }
    cr_expect(same, "%s:%s, %d ranks, root %d: rank %d differs in round %d after writing and reading",
              ar_collectives[a->algorithm->collective].name, a->algorithm->name, a->problem.nranks,
              a->problem.root, rank, (int)k + 1);
    ar_messages_free(&x);
    ar_messages_free(&y);
}

static void expect_round_trip(const struct ar_algorithm *algorithm, const struct ar_problem *problem)
{
    struct ar_schedule schedule, again;
    struct ar_error error;
    struct ar_proof before, after;
    if (ar_schedule_of_problem(&schedule, algorithm, problem, &error) != AR_OK)
        return; /* a need that this number of ranks does not meet */
    struct ar_text text = {0};
    ar_schedule_write(&schedule, &text);
    struct ar_schedule_file file = read_schedule(text.data);
    cr_assert_eq(ar_schedule_of_problem(&again, &file.algorithm, &file.problem, &error), AR_OK, "%s",
                 error.text);
    cr_assert_eq(ar_nblocks(&again), ar_nblocks(&schedule));
    cr_assert_eq(ar_nrounds(&again), ar_nrounds(&schedule));
    for (int64_t k = 0; k < ar_nrounds(&schedule); k++)
        for (int rank = 0; rank < problem->nranks; rank++)
            expect_same_round(&schedule, &again, rank, k);
    cr_assert_eq(ar_verify(&schedule, &before, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_verify(&again, &after, &error), AR_OK, "%s", error.text);
    cr_expect(before.ordered == after.ordered && before.same_bits == after.same_bits &&
              before.messages == after.messages);
    ar_schedule_free(&again);
    ar_schedule_file_free(&file);
    ar_text_free(&text);
    ar_schedule_free(&schedule);
}

Test(schedule_file, every_algorithm_survives_writing_and_reading)
{
    enter_directory();
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int nranks = 1; nranks <= 7; nranks++)
            for (int root = 0; root < (ar_collective_rooted(ar_algorithms[i]->collective) ? nranks : 1);
                 root++) {
                struct ar_problem problem = {.nranks = nranks, .root = root};
                for (int p = 0; p < ar_algorithms[i]->nparams; p++) {
                    const struct ar_param *param = &ar_algorithms[i]->params[p];
                    problem.param[p] = param->unit == AR_PARAM_BYTES ? 3 : param->fallback;
                }
                expect_round_trip(ar_algorithms[i], &problem);
            }
    leave_directory();
}

/* Meson runs tests at the top of the tree. */
Test(schedule_file, the_shipped_examples)
{
    struct ar_schedule_file file;
    struct ar_schedule schedule;
    struct ar_proof proof;
    struct ar_error error;
    cr_assert_eq(ar_schedule_read("tests/data/ring3.json", &file, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_schedule_of_problem(&schedule, &file.algorithm, &file.problem, &error), AR_OK);
    cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(proof.same_bits && proof.messages == 12);
    ar_schedule_file_free(&file);
    cr_assert_eq(ar_schedule_read("tests/data/ring3-broken.json", &file, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_schedule_of_problem(&schedule, &file.algorithm, &file.problem, &error), AR_OK);
    cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_FAILED);
    cr_expect(strstr(error.text, "round 3: rank 1, block 1"), "%s", error.text);
    ar_schedule_file_free(&file);
}
