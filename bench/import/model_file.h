/* Models that people write, as JSON or CSV (by the file's ending).
 *
 *     {"name": "tiny",                              name,parameters
 *      "layers": [                                  embedding,4096
 *        {"name": "embedding", "parameters": 4096}, block 0,12288
 *        {"name": "block 0", "parameters": 12288}]}
 *
 * A CSV model is named after its file; both may say `elements` for `parameters`. Counts are whole numbers
 * from 1 to 2^63-1, and so is their sum.
 */
#pragma once

#include "collectives/base/error.h"
#include "sim/training/model.h"

/* For --help. */
#define AR_MODEL_HELP                                                                                        \
    "A model file ends in .csv or .json; both may say elements for parameters:\n"                            \
    "  name,parameters    {\"name\": \"tiny\", \"layers\": [\n"                                              \
    "  embedding,4096       {\"name\": \"embedding\", \"parameters\": 4096},\n"                              \
    "  head,12288           {\"name\": \"head\", \"parameters\": 12288}]}\n"

/* AR_INVALID with "FILE:LINE:COLUMN: ..." for what is wrong in the file. The caller frees the model with
 * ar_model_free. */
enum ar_status ar_model_read(const char *path, struct ar_model *model, struct ar_error *error);
