/* Errors: a status and a sentence.
 *
 * A library function that can fail returns an enum ar_status and takes a struct ar_error as its last
 * parameter. On failure it has written one sentence there (what, expected, got, where) without a full
 * stop, and has left its other outputs untouched. `error` may be NULL. Library code never prints and
 * never exits; the program turns the status into an exit code (AR_FAILED 1, every other failure 2).
 */
#pragma once

enum ar_status {
    AR_OK = 0,
    AR_INVALID = -1,   /* the caller or the user asked for something impossible */
    AR_FAILED = -2,    /* a check was made and did not hold */
    AR_NO_MEMORY = -3, /* more memory than there is, said before it was taken where possible */
    AR_SYSTEM = -4,    /* MPI, a file, the machine */
};

struct ar_error {
    char text[768];
};

/* Writes the sentence and returns `status`, so that failing is one line: return ar_fail(error, ...). A
 * sentence that is too long ends in "...", and control characters are shown as \x1b, for much of it may be
 * quoted from files and arguments. The arguments may include error->text: that is how a caller adds
 * where. */
enum ar_status ar_fail(struct ar_error *error, enum ar_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* AR_INVALID, for an input file: the sentence begins "FILE:LINE:COLUMN: ". Lines and columns count from 1; a
 * column or line of 0 is not known and left out. */
enum ar_status ar_fail_at(struct ar_error *error, const char *file, int line, int column, const char *format,
                          ...) __attribute__((format(printf, 5, 6)));
