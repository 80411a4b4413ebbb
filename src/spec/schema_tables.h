// Words of the tables of the file format (schema_*.c).
#ifndef TMLI_SPEC_SCHEMA_TABLES_H
#define TMLI_SPEC_SCHEMA_TABLES_H

#include "spec/schema.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define ALL UINT32_MAX  // every type

/** Choices of the keys `interpolation` and `outside`. */
extern const tmli_key_choice tmli_interpolations[], tmli_outsides[];

#endif
