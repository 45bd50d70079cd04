/* SPDX-License-Identifier: Apache-2.0 */
/** @file Columns: the values of one property in many objects, in memory of the caller. */
#ifndef FLEXSYNC_COLUMN_H
#define FLEXSYNC_COLUMN_H

#include "value.h"

FLX_BEGIN_DECLS

/**
 * The values of one property in a number of objects: what `flx_results_read` fills, and what `flx_objects_insert`
 * inserts. The memory belongs to the caller. The library accesses it during the call only; `flx_objects_insert` does
 * not write to it. Zero the entire struct, then set `struct_size` and the members that the type needs.
 */
typedef struct flx_column {
  /** `sizeof(flx_column_t)` in the header compiled against. */
  size_t struct_size;
  /** A property that is not a collection. */
  flx_property_key_t property;
  /** The type of the property. */
  flx_type_t type;
  /**
   * One element for each row: `int64_t` for INT, `bool` for BOOL, `flx_timestamp_t`, `float`, `double`,
   * `flx_decimal_t`, `flx_link_t`, `flx_object_id_t`, `flx_uuid_t`, or `flx_value_t` for MIXED. The element of a null
   * has zeros; in a MIXED column it is a `flx_value_t` of type NULL. Not used for STRING and BINARY.
   */
  void *FLX_NULLABLE values;
  /**
   * One byte for each row: 1 if there is a value, 0 for null. May be NULL if no value is null or the property cannot be
   * null, and for MIXED. A link whose target is not on this device reads as null.
   */
  uint8_t *FLX_NULLABLE validity;
  /**
   * For STRING and BINARY, one offset more than rows: the value of row `i` is in `bytes` from `offsets[i]` up to
   * `offsets[i + 1]`, and `offsets[0]` is 0. The value of a null is empty.
   */
  int64_t *FLX_NULLABLE offsets;
  /** For STRING and BINARY, the values one after the other; for MIXED, the text and bytes that elements refer to. */
  void *FLX_NULLABLE bytes;
  /** The size of `bytes`. */
  size_t byte_capacity;
} flx_column_t;

FLX_END_DECLS

#endif
