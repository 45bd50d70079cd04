/* SPDX-License-Identifier: Apache-2.0 */
/** @file Columns: the values of one property in many objects, in memory of the caller. */
#ifndef FLEXSYNC_COLUMN_H
#define FLEXSYNC_COLUMN_H

#include "value.h"

FLX_BEGIN_DECLS

/**
 * The values of one property in a number of objects: what `flx_results_read` fills, and what `flx_objects_insert`
 * inserts. The memory belongs to the caller. The library accesses it during the call only. `flx_objects_insert` does
 * not write to it, so constant data may be inserted, with a cast. Zero the entire struct, then set `struct_size` and
 * the members that the type needs.
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
   * `flx_decimal_t`, `flx_link_t`, `flx_object_id_t`, `flx_uuid_t`, or `flx_value_t` for MIXED. Aligned for that type.
   * Not used for STRING and BINARY. Reading writes zeros as the element of a null, and in a MIXED column a
   * `flx_value_t` of type NULL, and zeros between and after the members of a struct; inserting ignores what is there.
   */
  void *FLX_NULLABLE values;
  /**
   * One byte for each row: 0 for null, 1 for a value; inserting takes any byte but 0 as a value. Reading a property
   * that can be null, or a link, needs it; a link whose target is not on this device reads as null. It may be NULL for
   * MIXED, for a property that cannot be null, and for inserting if no value is null.
   */
  uint8_t *FLX_NULLABLE validity;
  /**
   * For STRING and BINARY, one offset more than rows: the value of row `i` is in `bytes` from `offsets[i]` up to
   * `offsets[i + 1]`. Reading writes 0 to `offsets[0]`, and an empty value for a null. Inserting may begin later, and
   * ignores the bytes of a null. Text is UTF-8 and has no terminating zero.
   */
  int64_t *FLX_NULLABLE offsets;
  /**
   * For STRING and BINARY, the values one after the other. For MIXED, reading copies the text and bytes here that the
   * elements point to, so they live as long as this memory; inserting does not use it.
   */
  void *FLX_NULLABLE bytes;
  /** For reading, how many bytes there is space for at `bytes`; for inserting, how many of them are in use. */
  size_t byte_capacity;
} flx_column_t;

FLX_END_DECLS

#endif
