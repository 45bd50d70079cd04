/* SPDX-License-Identifier: Apache-2.0 */
/** @file Property values and query arguments. */
#ifndef FLEXSYNC_VALUE_H
#define FLEXSYNC_VALUE_H

#include "base.h"

FLX_BEGIN_DECLS

/** The type of a value or property. Numbers are those of the sync protocol, except for null. */
typedef enum FLX_ENUM flx_type FLX_INT32 {
  FLX_TYPE_NULL = -1,
  FLX_TYPE_MIXED = 0,
  FLX_TYPE_INT = 1,
  FLX_TYPE_BOOL = 2,
  FLX_TYPE_STRING = 3,
  FLX_TYPE_BINARY = 4,
  FLX_TYPE_TIMESTAMP = 5,
  FLX_TYPE_FLOAT = 6,
  FLX_TYPE_DOUBLE = 7,
  FLX_TYPE_DECIMAL = 8,
  FLX_TYPE_LINK = 9,
  FLX_TYPE_OBJECT_ID = 10,
  FLX_TYPE_UUID = 11,
  /** A list in a mixed value: only returned by reads, without its content. */
  FLX_TYPE_LIST = 32,
  /** A dictionary in a mixed value: only returned by reads, without its content. */
  FLX_TYPE_DICTIONARY = 33,
} flx_type_t;

/** Seconds and nanoseconds since 1970-01-01T00:00:00Z; both parts have the sign of the value. */
typedef struct flx_timestamp {
  int64_t seconds;
  int32_t nanoseconds;
} flx_timestamp_t;

/** An ObjectId: twelve bytes. */
typedef struct flx_object_id {
  uint8_t bytes[12];
} flx_object_id_t;

/** A UUID, its bytes in the order of its text form. */
typedef struct flx_uuid {
  uint8_t bytes[16];
} flx_uuid_t;

/**
 * A decimal number of up to 34 digits: the two words of an IEEE 754 decimal128 with a binary coefficient. From the
 * most significant bit, `high` holds the sign (1 bit), the exponent plus 6176 (14 bits) and the upper part of the
 * coefficient (49 bits).
 */
typedef struct flx_decimal {
  uint64_t high;
  uint64_t low;
} flx_decimal_t;

/** The key of a class in its realm, constant while the realm is open. See `flx_realm_find_class`. */
typedef uint32_t flx_class_key_t;

/** The key of a property in its class, constant while the realm is open. See `flx_realm_find_property`. */
typedef uint32_t flx_property_key_t;

/**
 * A reference to an object of a realm by class and row. A row is never reused for another object. The link can be
 * used with every realm opened on the same file; using it with any other fails with INVALID_ARGUMENT.
 */
typedef struct flx_link {
  int64_t row;
  flx_class_key_t target_class;
} flx_link_t;

/**
 * A value. `type` says which member of the union is valid; for null, none is. Of a float or double that is stored, zero
 * has no sign, and all that are not a number are one, the quiet NaN without a sign.
 */
typedef struct flx_value {
  union {
    int64_t integer;
    bool boolean;
    flx_string_t string;
    flx_string_t binary;
    flx_timestamp_t timestamp;
    float float_value;
    double double_value;
    flx_decimal_t decimal;
    flx_link_t link;
    flx_object_id_t object_id;
    flx_uuid_t uuid;
  };
  flx_type_t type;
} flx_value_t;

/**
 * A query argument: one value, or a list of values. A link to a row that has no object, because it was deleted or is -1,
 * equals no object.
 */
typedef struct flx_query_argument {
  const flx_value_t *FLX_NULLABLE values;
  /** The number of values; exactly 1 unless `is_list`. */
  size_t count;
  bool is_list;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[2];
} flx_query_argument_t;

/** Generates an object id from the clock, random bytes and a counter. Any thread. */
FLX_API flx_object_id_t flx_object_id_generate(void);

/** Parses 24 hexadecimal digits. For anything else, returns false and leaves `out_id` unchanged. Any thread. */
FLX_API bool flx_object_id_parse(flx_string_t text, flx_object_id_t *FLX_NONNULL out_id);

/** Writes 24 lowercase hexadecimal digits and a terminating zero to `out_text` (25 bytes). Any thread. */
FLX_API void flx_object_id_format(const flx_object_id_t *FLX_NONNULL id, char *FLX_NONNULL out_text);

/** Generates a random UUID (version 4). Any thread. */
FLX_API flx_uuid_t flx_uuid_generate(void);

/**
 * Parses 32 hexadecimal digits with hyphens, such as "12345678-1234-5678-1234-567812345678". For anything else, returns
 * false and leaves `out_uuid` unchanged. Any thread.
 */
FLX_API bool flx_uuid_parse(flx_string_t text, flx_uuid_t *FLX_NONNULL out_uuid);

/** Writes a UUID in lowercase and a terminating zero to `out_text` (37 bytes). Any thread. */
FLX_API void flx_uuid_format(const flx_uuid_t *FLX_NONNULL uuid, char *FLX_NONNULL out_text);

/** The size of the longest text of a decimal, including the terminating zero. */
#define FLX_DECIMAL_TEXT_SIZE 48

/**
 * Parses a number such as "-12.50" or "1.5E-3", "inf" or "nan". For anything else, and for exponents out of range,
 * returns false and leaves `out_decimal` unchanged. Digits beyond the 34th are dropped. Any thread.
 */
FLX_API bool flx_decimal_parse(flx_string_t text, flx_decimal_t *FLX_NONNULL out_decimal);

/**
 * Writes the shortest text that parses back to the same decimal, and a terminating zero, to `out_text`
 * (FLX_DECIMAL_TEXT_SIZE bytes). Any thread.
 */
FLX_API void flx_decimal_format(flx_decimal_t decimal, char *FLX_NONNULL out_text);

/**
 * Compares two decimals by value, so 1.0 equals 1.00. Returns a negative number, zero or a positive number if `left`
 * is less than, equal to or greater than `right`. Not-a-number equals itself and is less than everything else. Any
 * thread.
 */
FLX_API int flx_decimal_compare(flx_decimal_t left, flx_decimal_t right);

/** The sum, rounded to 34 digits, half to even. Any thread. */
FLX_API flx_decimal_t flx_decimal_add(flx_decimal_t left, flx_decimal_t right);

/** The difference, rounded to 34 digits, half to even. Any thread. */
FLX_API flx_decimal_t flx_decimal_subtract(flx_decimal_t left, flx_decimal_t right);

/** The product, rounded to 34 digits, half to even. Any thread. */
FLX_API flx_decimal_t flx_decimal_multiply(flx_decimal_t left, flx_decimal_t right);

/** The quotient, rounded to 34 digits, half to even; infinity or not-a-number if `right` is zero. Any thread. */
FLX_API flx_decimal_t flx_decimal_divide(flx_decimal_t left, flx_decimal_t right);

FLX_END_DECLS

#endif
