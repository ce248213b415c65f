/* How far a command is, on stderr: one line from its second second on, renewed every second and erased at
 * the end; only where stderr is a terminal, and by rank 0.
 */
#pragma once

void ar_progress_begin(void);

/* What is being done now: "claim: zero3, 9 of 11". */
void ar_progress(const char *what, int now, int of);

void ar_progress_end(void);
