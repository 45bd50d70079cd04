/* SPDX-License-Identifier: Apache-2.0 */
/** @file Versions of a schema, and migrations from one to the next. */
#ifndef FLEXSYNC_MIGRATION_H
#define FLEXSYNC_MIGRATION_H

#include "schema.h"

FLX_BEGIN_DECLS

/** Determines how the classes in a configuration and those of the file are reconciled when a realm is opened. */
typedef enum FLX_ENUM flx_schema_mode FLX_INT32 {
  /**
   * The file gets the classes and properties that it lacks. A property of another type fails with SCHEMA_MISMATCH. The
   * schema in the file has no version. For synced realms this is the only mode.
   */
  FLX_SCHEMA_ADDITIVE = 0,
  /**
   * The schema has the version `flx_realm_config_t.schema_version`, which is stored in the file. When the library decides
   * whether to migrate, a file that already has classes but no version counts as version 0; a new file gets the version.
   * Without a new version, the file gets only new classes and indexes; any other difference fails with SCHEMA_MISMATCH,
   * and the message lists what has changed. A higher version migrates the file; a lower
   * one, or with `read_only` any other one, fails with INVALID_SCHEMA_VERSION.
   */
  FLX_SCHEMA_VERSIONED = 1,
  /** Like the versioned mode, but where that would migrate or fail, all classes and objects are deleted instead. */
  FLX_SCHEMA_VERSIONED_OR_RESET = 2,
  /**
   * The realm has the classes that the file has. The configuration must name none. Such a realm does not prevent a
   * migration, after which it cannot be used any more.
   */
  FLX_SCHEMA_FROM_FILE = 3,
} flx_schema_mode_t;

/** The version that `flx_realm_schema_version` reports for a file that was never opened in a versioned mode. */
#define FLX_NOT_VERSIONED UINT64_MAX

/**
 * Converts the objects of a local realm to a new schema. Both realms are borrowed.
 *
 * `before` holds the data before the migration, with all classes of the file, and cannot be written. `after` is in a
 * write transaction and has the classes of the configuration. An object is in both under the same row
 * (`flx_object_link`), unless it is deleted. In `after`, a property whose type has changed has the initial value of its
 * new type, and one that is no longer nullable has that value instead of null. A class whose primary key changes has
 * none until the migration ends; what will be its key is a property like any other.
 *
 * The migration is one transaction, which this function must neither commit nor cancel: if it fails, or the process
 * ends, the file stays as it was. When it returns, properties that the new schema does not have are removed; classes that
 * it does not have stay. It fails with SCHEMA_MISMATCH if objects of a class then have the same primary key.
 *
 * @param error to be filled in if the function fails.
 * @return OK, or the status with which opening fails.
 * Thread: the one that opens the realm; a thread of the library for `flx_realm_open_async`. Other threads that open the
 * same file wait until it returns.
 */
typedef flx_status_t (*flx_migration_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL before,
                                        flx_realm_t *FLX_NONNULL after, uint64_t old_version,
                                        flx_error_t *FLX_NONNULL error);

/**
 * Gives a property of the new schema the values of one that the old schema had and the new one does not. Only in a
 * migration, with the realm that has the new schema.
 *
 * Errors: SCHEMA_MISMATCH if the properties do not exist or have different types; UNSUPPORTED outside of a migration.
 */
FLX_API flx_status_t flx_migration_rename_property(flx_realm_t *FLX_NONNULL realm, flx_string_t class_name,
                                                   flx_string_t old_name, flx_string_t new_name,
                                                   flx_error_t *FLX_NULLABLE error);

/**
 * Deletes all objects of a class, and the class itself if the new schema does not have it. Only in a migration, with the
 * realm that has the new schema.
 *
 * @param out_deleted false if the file does not have the class.
 * Errors: SCHEMA_MISMATCH for a class that another one, which remains, links to; UNSUPPORTED outside of a migration.
 */
FLX_API flx_status_t flx_migration_delete_class(flx_realm_t *FLX_NONNULL realm, flx_string_t class_name,
                                                bool *FLX_NONNULL out_deleted, flx_error_t *FLX_NULLABLE error);

/**
 * Reads the version of the schema in the file of a realm.
 *
 * @param out_version `FLX_NOT_VERSIONED` if no program has opened the file in a versioned mode.
 * Errors: IO. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_schema_version(flx_realm_t *FLX_NONNULL realm, uint64_t *FLX_NONNULL out_version,
                                              flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
