/* Files that are written whole or not at all. */
#pragma once

#include "collectives/base/error.h"
#include "collectives/base/text.h"

/* Makes `text` the content of the file: written beside it under another name first, then renamed, so that
 * nobody ever sees half of it and what was there stays until then. What a link leads to is replaced, not the
 * link; what is no file (a pipe, /dev/null) is written to as it is. AR_SYSTEM in words when it cannot be. */
enum ar_status ar_write_whole(const char *path, const struct ar_text *text, struct ar_error *error);
