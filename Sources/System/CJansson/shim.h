#pragma once
#include <jansson.h>

/* Flags whose macros Swift does not import, and the release that is an inline function or macro by version. */
static const unsigned long JSON_DECODE_ANY_FLAG = JSON_DECODE_ANY;
static const unsigned long JSON_ALLOW_NUL_FLAG = JSON_ALLOW_NUL;
static const unsigned long JSON_REJECT_DUPLICATES_FLAG = JSON_REJECT_DUPLICATES;

static inline void flx_json_release(json_t *value) { json_decref(value); }
