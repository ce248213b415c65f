#include "bench/harness/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes and closes. False with errno. */
static bool fill(int fd, const struct ar_text *text)
{
    for (size_t at = 0; at < text->length;) {
        ssize_t n = write(fd, text->data + at, text->length - at);
        if (n < 0 && errno != EINTR) {
            int why = errno;
            close(fd);
            errno = why;
            return false;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return close(fd) == 0;
}

/* As a new file would have them, or as the one that is replaced has. */
static mode_t rights(const struct stat *old)
{
    if (old)
        return old->st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool replace(const char *path, const struct stat *old, const struct ar_text *text)
{
    struct ar_text beside = {0};
    ar_text_add(&beside, "%s.XXXXXX", path);
    int fd = mkstemp(beside.data);
    bool made = fd >= 0, done = made && fchmod(fd, rights(old)) == 0;
    if (made && !done)
        close(fd);
    done = done && fill(fd, text) && rename(beside.data, path) == 0;
    int why = errno;
    if (made && !done)
        unlink(beside.data);
    ar_text_free(&beside);
    errno = why;
    return done;
}

enum ar_status ar_write_whole(const char *path, const struct ar_text *text, struct ar_error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0, done;
    if (exists && !S_ISREG(old.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        done = fd >= 0 && fill(fd, text);
    } else {
        char *behind = exists ? realpath(path, NULL) : NULL;
        done = replace(behind ? behind : path, exists ? &old : NULL, text);
        free(behind);
    }
    return done ? AR_OK : ar_fail(error, AR_SYSTEM, "cannot write %.400s: %s", path, strerror(errno));
}
