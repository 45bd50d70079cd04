/* SPDX-License-Identifier: Apache-2.0 */
/** @file Classes and properties. */
#ifndef FLEXSYNC_SCHEMA_H
#define FLEXSYNC_SCHEMA_H

#include "error.h"
#include "value.h"

FLX_BEGIN_DECLS

/** Whether a property holds one value or a collection. Numbers are those of the sync protocol. */
typedef enum FLX_ENUM flx_collection FLX_INT32 {
  FLX_COLLECTION_NONE = 0,
  FLX_COLLECTION_LIST = 1,
  FLX_COLLECTION_DICTIONARY = 2,
  FLX_COLLECTION_SET = 3,
} flx_collection_t;

/** The kind of objects in a class. Numbers are those of the sync protocol. */
typedef enum FLX_ENUM flx_class_kind FLX_INT32 {
  FLX_CLASS_TOP_LEVEL = 0,
  /** Objects that live inside other objects and have no primary key. */
  FLX_CLASS_EMBEDDED = 1,
  /**
   * Objects that are uploaded but not kept on the device (data ingest). They are created and filled in within a write
   * transaction and are gone once it is committed. They need no subscription, and cannot be queried, found or
   * observed. They can hold embedded objects and links to objects of other classes, but no links in mixed values, and
   * nothing can link to them. Only a synced realm can have such classes. An object that the server refuses to store
   * is reported with FLX_STATUS_WRITE_REJECTED; nothing is reverted on the device.
   */
  FLX_CLASS_ASYMMETRIC = 2,
} flx_class_kind_t;

/**
 * One property. A primary key has type int, string, object id or UUID. In a synced realm every class that is not embedded
 * needs one, which is named `_id`. In a local realm it may have any name, or be absent: such objects cannot be found by
 * a key, but linked to like any other.
 */
typedef struct flx_property_info {
  flx_string_t name;
  flx_type_t type;
  flx_collection_t collection;
  /** The target class of a link; empty for other types. */
  flx_string_t link_target;
  /**
   * Whether the value, or each element of a collection, may be null. Mixed values, single links and links in
   * dictionaries always may; links in lists and sets never.
   */
  bool is_nullable;
  bool is_primary_key;
  /** Whether to keep a local index for queries. Not synced. */
  bool is_indexed;
  /** Output only: the key of the property. Ignored in a configuration. */
  flx_property_key_t key;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_property_info_t;

/** One class with its properties in declared order, including the primary key. */
typedef struct flx_class_info {
  flx_string_t name;
  flx_class_kind_t kind;
  const flx_property_info_t *FLX_NULLABLE properties;
  size_t property_count;
  /** Output only: the key of the class. Ignored in a configuration. */
  flx_class_key_t key;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_class_info_t;

/** The number of classes in the realm: those it was opened with and those added since. */
FLX_API size_t flx_realm_class_count(const flx_realm_t *FLX_NONNULL realm);

/**
 * Describes the class at a position (0 … count − 1).
 *
 * @param out_info its contents are borrowed until the realm is released.
 * Errors: INDEX_OUT_OF_BOUNDS. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_class_at(const flx_realm_t *FLX_NONNULL realm, size_t index,
                                        flx_class_info_t *FLX_NONNULL out_info, flx_error_t *FLX_NULLABLE error);

/** Finds a class by name. Errors: NO_SUCH_CLASS. Thread: the realm's. */
FLX_API flx_status_t flx_realm_find_class(const flx_realm_t *FLX_NONNULL realm, flx_string_t name,
                                          flx_class_info_t *FLX_NONNULL out_info, flx_error_t *FLX_NULLABLE error);

/** Finds a property by name. Errors: NO_SUCH_CLASS, NO_SUCH_PROPERTY. Thread: the realm's. */
FLX_API flx_status_t flx_realm_find_property(const flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                             flx_string_t name, flx_property_info_t *FLX_NONNULL out_info,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Adds classes and properties to an open realm, in addition to those it has. Classes and properties that exist
 * already are only compared. Outside a write transaction, this commits one of its own.
 *
 * Errors: INVALID_ARGUMENT, UNSUPPORTED, SCHEMA_MISMATCH, IO, DISK_FULL, BUSY. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_add_classes(flx_realm_t *FLX_NONNULL realm, const flx_class_info_t *FLX_NONNULL classes,
                                           size_t class_count, flx_error_t *FLX_NULLABLE error);

/**
 * Adds a class of the file to an open realm that was opened without it, as the file declares it, and the classes it
 * links to. Classes that the realm has stay as they are. Nothing is written. For programs that read objects whose
 * classes they do not know.
 *
 * @param out_info its contents are borrowed until the realm is released.
 * Errors: NO_SUCH_CLASS if the file does not have it either, IO. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_adopt_class(flx_realm_t *FLX_NONNULL realm, flx_string_t name,
                                           flx_class_info_t *FLX_NONNULL out_info, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
