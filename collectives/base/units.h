/* Numbers as people type and read them.
 *
 * Sizes: "4096", "512B", "64KiB", "64K", "8M", "1.5GiB" are powers of 1024 (K, M, G, T and KiB, MiB, GiB,
 * TiB); "64kB", "8MB", "2GB", "1TB" are powers of 1000. Counts: "1000", "7.5e9", "1e6" (a whole number when
 * worked out). All are worked out exactly, without a double; a size must come to whole bytes. Anything else
 * ("12Q", "-1", "+4", "1e30", "", trailing text) is AR_INVALID with a sentence that begins with `what`, e.g.
 * "segment: expected a size such as 64KiB, got '12Q'". Values are 0 .. 2^63-1.
 */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"

enum ar_status ar_parse_size(const char *text, const char *what, int64_t *bytes, struct ar_error *error);
enum ar_status ar_parse_count(const char *text, const char *what, int64_t *count, struct ar_error *error);

/* A whole number in [low, high], in the forms of ar_parse_count: "root: expected 0..3, got 7". Where the
 * range has negative numbers a '-' may stand before it. */
enum ar_status ar_parse_int(const char *text, const char *what, int64_t low, int64_t high, int64_t *value,
                            struct ar_error *error);

/* "4", "1..64", "1,2,5..8": whole numbers in [low, high] in the order given, at most 1,048,576 of them. The
 * caller frees *values. Elements of a list may use the forms of ar_parse_count. */
enum ar_status ar_parse_list(const char *text, const char *what, int64_t low, int64_t high, int64_t **values,
                             int *n, struct ar_error *error);

/* Times in seconds: "2us", "300ns", "5ms", "1s"; a number without a unit is in seconds.
 * Rates in bytes per second: "12.5GB/s", "800MB/s" (powers of 1000), "10GiB/s" (of 1024), "200Gbit/s" (bits,
 * powers of 1000); a number without a unit is in B/s. Numbers are decimal, "1.5" or "12.5e9", never negative;
 * a rate is above 0. */
enum ar_status ar_parse_time(const char *text, const char *what, double *time_s, struct ar_error *error);
enum ar_status ar_parse_rate(const char *text, const char *what, double *rate_Bps, struct ar_error *error);

enum { AR_UNITS_TEXT = 48 };

/* "0 B", "512 B", "64 KiB", "1.5 MiB", "12.3 GiB", "100.5 KiB": two decimals below 10, one from there on.
 * Zeros at the end are dropped only when nothing was rounded, so "1 MiB" is exact and "1.00 MiB" is about
 * that. */
const char *ar_format_size(char text[AR_UNITS_TEXT], uint64_t bytes);

/* "512", "64KiB", "1536KiB", "100001": whole numbers, as people type them; ar_parse_size reads the same bytes
 * back. */
const char *ar_format_size_exact(char text[AR_UNITS_TEXT], uint64_t bytes);

/* "124,439,808" */
const char *ar_format_count(char text[AR_UNITS_TEXT], uint64_t count);

/* "1.7 us", "46 ns", "1.25 ms", "3 s": four significant digits. */
const char *ar_format_time(char text[AR_UNITS_TEXT], double time_s);

/* "12.5 GB/s": four significant digits, powers of 1000. */
const char *ar_format_rate(char text[AR_UNITS_TEXT], double rate_Bps);
