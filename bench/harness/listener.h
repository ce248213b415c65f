/* Who wants to know how far a long run is. */
#pragma once

/* Hears what is being done, the `now`-th `of` so many. */
typedef void ar_listener(const char *what, int now, int of);
