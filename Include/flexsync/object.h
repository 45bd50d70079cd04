/* SPDX-License-Identifier: Apache-2.0 */
/** @file Objects and lists. Functions are called, and callbacks run, on the thread of the realm. */
#ifndef FLEXSYNC_OBJECT_H
#define FLEXSYNC_OBJECT_H

#include "column.h"
#include "realm.h"

FLX_BEGIN_DECLS

/**
 * Creates an object with the given primary key and default values.
 *
 * @param primary_key for a class without a primary key, null.
 * Errors: NOT_IN_WRITE_TRANSACTION, NO_SUCH_CLASS, INVALID_ARGUMENT for an embedded class (see embedded.h), for a key
 * that is not valid (see `flx_object_set`), and for one of a class without a primary key, TYPE_MISMATCH,
 * NULL_NOT_ALLOWED, VALUE_TOO_LARGE, DUPLICATE_PRIMARY_KEY, NO_SUBSCRIPTION_FOR_WRITE ("Cannot write to class X when no
 * flexible sync subscription has been created.").
 */
FLX_API flx_status_t flx_object_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                       const flx_value_t *FLX_NONNULL primary_key,
                                       flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object, flx_error_t *FLX_NULLABLE error);

/**
 * Creates many objects at once from columns of values, without a handle for each; the fastest way to insert. Properties
 * that have no column get their default values. Handles, notifications and the changes sent to the server are the same
 * as if each object had been created by `flx_object_create` and filled by `flx_object_set`.
 *
 * An object is created with all its values or not at all. If one cannot be created, the call ends there. The objects
 * before it have been created and stay part of the write transaction: commit it, or cancel it to undo them.
 *
 * @param columns one for the primary key if the class has one, and one for each other property to set. All have the
 *   same `struct_size`. In a MIXED column, text and bytes may be anywhere.
 * @param count the number of objects; each column has a value for each of them.
 * @param out_inserted receives the number of objects created, also if the call fails; 0 if none was. May be NULL.
 * Errors: those of `flx_object_create` and `flx_object_set`. If an error concerns one object, its message begins with
 * that object's index, as in "Object 7: …". INVALID_ARGUMENT for no column of the primary key, two columns of one
 * property, missing memory, offsets that decrease, are negative or exceed `byte_capacity`, or a wrong `struct_size`.
 * TYPE_MISMATCH for a collection or an embedded object, or if a column's type is not that of its property.
 */
FLX_API flx_status_t flx_objects_insert(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                        const flx_column_t *FLX_NULLABLE columns, size_t column_count, size_t count,
                                        size_t *FLX_NULLABLE out_inserted, flx_error_t *FLX_NULLABLE error);

/**
 * Finds an object by primary key. `*out_object` is NULL if there is none.
 *
 * Errors: NO_SUCH_CLASS, TYPE_MISMATCH, NULL_NOT_ALLOWED for null if the primary key cannot be null, INVALID_ARGUMENT
 * for an embedded class, for a class without a primary key, for an asymmetric one, whose objects are not kept on the
 * device, and for text that is not UTF-8; VALUE_TOO_LARGE for text that no key can have.
 */
FLX_API flx_status_t flx_object_find(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                     const flx_value_t *FLX_NONNULL primary_key,
                                     flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object, flx_error_t *FLX_NULLABLE error);

/**
 * Finds an object by primary key or, if there is none, creates it. Needs a write transaction in either case.
 *
 * @param out_created whether the object was created; may be NULL.
 * Errors: as `flx_object_create`, without DUPLICATE_PRIMARY_KEY; INVALID_ARGUMENT for a class without a primary key.
 */
FLX_API flx_status_t flx_object_find_or_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                               const flx_value_t *FLX_NONNULL primary_key,
                                               flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object,
                                               bool *FLX_NULLABLE out_created, flx_error_t *FLX_NULLABLE error);

/** Gets the object that a link points to. `*out_object` is NULL if it no longer exists. Errors: NO_SUCH_CLASS. */
FLX_API flx_status_t flx_object_get_linked(flx_realm_t *FLX_NONNULL realm, flx_link_t link,
                                           flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object,
                                           flx_error_t *FLX_NULLABLE error);

/** Retains an object. Thread: the realm's. */
FLX_API flx_object_t *FLX_NONNULL flx_object_retain(flx_object_t *FLX_NONNULL object);
/** Releases an object. Any thread. */
FLX_API void flx_object_release(flx_object_t *FLX_NULLABLE object);

/** Whether the object still exists. */
FLX_API bool flx_object_is_valid(const flx_object_t *FLX_NONNULL object);

/** The class and row of the object: equal for all handles of the same object, and the value to set a link to it. */
FLX_API flx_link_t flx_object_link(const flx_object_t *FLX_NONNULL object);

/**
 * Reads a property that is not a collection. A link reads as null if its target is not on this device;
 * `flx_object_get_link_state` distinguishes this from a null link. A mixed value
 * that holds a collection reads as the type of that collection, without its content (see mixed.h).
 *
 * @param out_value text and bytes are borrowed until the next call on this object or until it is released.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH for a collection.
 */
FLX_API flx_status_t flx_object_get(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                    flx_value_t *FLX_NONNULL out_value, flx_error_t *FLX_NULLABLE error);

/** Where a link leads. */
typedef enum FLX_ENUM flx_link_state FLX_INT32 {
  /** Nowhere: the link is null. */
  FLX_LINK_NULL = 0,
  /** To an object on this device. */
  FLX_LINK_RESOLVED = 1,
  /**
   * To an object that is not on this device: no subscription brings it, the user may not read it, or a device that did not
   * have the linking object has deleted it. The link reads as null until the object arrives. Deleting an object makes null
   * the links to it in all objects that are on the deleting device, so other devices get those as FLX_LINK_NULL.
   */
  FLX_LINK_OUT_OF_VIEW = 2,
} flx_link_state_t;

/**
 * Reads several properties, as `flx_object_get` reads one. All values are borrowed until the next call on this object or
 * until it is released. If one cannot be read, those before it have been written to `out_values`. A `count` of 0 only
 * checks that the object is there.
 *
 * @param out_values room for `count` values.
 * Errors: as `flx_object_get`.
 */
FLX_API flx_status_t flx_object_get_values(flx_object_t *FLX_NONNULL object,
                                           const flx_property_key_t *FLX_NULLABLE properties, size_t count,
                                           flx_value_t *FLX_NULLABLE out_values, flx_error_t *FLX_NULLABLE error);

/**
 * Tells whether a link is null or leads to an object that is not on this device. Protocol §4.8.
 *
 * @param out_primary_key the primary key of the object that the link leads to, null if there is none; text is borrowed
 * until the next call on this object or until it is released. May be NULL.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH for a property that is not a single link to top-level
 * objects.
 */
FLX_API flx_status_t flx_object_get_link_state(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                               flx_link_state_t *FLX_NONNULL out_state,
                                               flx_value_t *FLX_NULLABLE out_primary_key,
                                               flx_error_t *FLX_NULLABLE error);

/**
 * Writes a property that is not a collection.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, OBJECT_INVALIDATED for the object and for the target of a link, NO_SUCH_PROPERTY,
 * TYPE_MISMATCH, NULL_NOT_ALLOWED, VALUE_TOO_LARGE for more than 16777192 bytes, NO_SUBSCRIPTION_FOR_WRITE,
 * INVALID_ARGUMENT for the primary key, for text that is not UTF-8, for text or bytes at NULL with a size, for a
 * timestamp whose parts differ in sign or that has 10^9 nanoseconds or more, for a link into another realm or to an
 * asymmetric class, and for an unknown type in a mixed property.
 */
FLX_API flx_status_t flx_object_set(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                    const flx_value_t *FLX_NONNULL value, flx_error_t *FLX_NULLABLE error);

/**
 * Writes several properties in their order, as `flx_object_set` writes one. If one cannot be written, those before it have
 * been; cancel the transaction to be rid of them.
 *
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_object_set_values(flx_object_t *FLX_NONNULL object,
                                           const flx_property_key_t *FLX_NULLABLE properties,
                                           const flx_value_t *FLX_NULLABLE values, size_t count,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Adds `delta` to an int property, such that concurrent additions on several devices add up. Wraps around on
 * overflow. Null stays null.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_object_add_integer(flx_object_t *FLX_NONNULL object, flx_property_key_t property, int64_t delta,
                                            flx_error_t *FLX_NULLABLE error);

/** Deletes the object; links to it become null, and it disappears from lists. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_object_delete(flx_object_t *FLX_NONNULL object, flx_error_t *FLX_NULLABLE error);

/** The changes to an observed object. */
typedef struct flx_object_changes {
  /** Whether the object was deleted; then no property is listed and no further call follows. */
  bool is_deleted;
  /**
   * The properties whose values changed; with key paths, those with which the changed paths begin. Borrowed for the
   * call, like the others.
   */
  const flx_property_key_t *FLX_NULLABLE properties;
  size_t property_count;
  /**
   * The value that each of the properties had before, or NULL if this handle's own commit changed them, or if another
   * process changed the object again while the realm was being refreshed. Null for
   * collections, and for a link to an object that no longer exists.
   */
  const flx_value_t *FLX_NULLABLE old_values;
  /** The indexes of the key paths on which something changed, for `flx_object_observe_key_paths`. */
  const size_t *FLX_NULLABLE key_paths;
  size_t key_path_count;
} flx_object_changes_t;

/** Called when an observed object has changed. Thread: the realm's. */
typedef void (*flx_object_observer_t)(void *FLX_NULLABLE userdata, const flx_object_changes_t *FLX_NONNULL changes);

/**
 * Observes an object until the token is released. Called within refresh, begin and commit.
 *
 * Errors: OBJECT_INVALIDATED, INVALID_ARGUMENT for an object of an asymmetric class.
 */
FLX_API flx_status_t flx_object_observe(flx_object_t *FLX_NONNULL object, flx_object_observer_t FLX_NONNULL callback,
                                        void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                        flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                        flx_error_t *FLX_NULLABLE error);

/**
 * Observes an object, like `flx_object_observe`, but only what is at the end of one of the key paths, and the links on the
 * way there.
 *
 * A key path is the name of a property of the object's class, or a path through links, embedded objects and collections
 * of either, such as "owner.name" or "tasks.owner". `@links.<class>.<property>`, anywhere in the path, stands for the
 * objects of a class that link to an object by a property. A path that ends with a link means the link and not the object
 * it leads to. The deletion of the object is always reported.
 *
 * @param key_paths copied. With a count of 0, as `flx_object_observe`.
 * Errors: those of `flx_object_observe`, NO_SUCH_PROPERTY and NO_SUCH_CLASS for a path that leads nowhere.
 */
FLX_API flx_status_t flx_object_observe_key_paths(
    flx_object_t *FLX_NONNULL object, const flx_string_t *FLX_NULLABLE key_paths, size_t key_path_count,
    flx_object_observer_t FLX_NONNULL callback, void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
    flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token, flx_error_t *FLX_NULLABLE error);

/**
 * Gets the list of a property, or the list that a mixed property holds (see mixed.h). It is live.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
 */
FLX_API flx_status_t flx_object_get_list(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                         flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list, flx_error_t *FLX_NULLABLE error);
/** Retains a list. Thread: the realm's. */
FLX_API flx_list_t *FLX_NONNULL flx_list_retain(flx_list_t *FLX_NONNULL list);
/** Releases a list. Any thread. */
FLX_API void flx_list_release(flx_list_t *FLX_NULLABLE list);

/** The number of elements. Links whose target is not on this device are not counted. Errors: OBJECT_INVALIDATED. */
FLX_API flx_status_t flx_list_count(flx_list_t *FLX_NONNULL list, size_t *FLX_NONNULL out_count,
                                    flx_error_t *FLX_NULLABLE error);

/**
 * Reads an element; text and bytes are borrowed until the next call on this list.
 * Errors: INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
 */
FLX_API flx_status_t flx_list_get(flx_list_t *FLX_NONNULL list, size_t index, flx_value_t *FLX_NONNULL out_value,
                                  flx_error_t *FLX_NULLABLE error);

/** Replaces an element. Errors: as `flx_object_set`, INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_list_set(flx_list_t *FLX_NONNULL list, size_t index, const flx_value_t *FLX_NONNULL value,
                                  flx_error_t *FLX_NULLABLE error);

/** Inserts an element before `index`, which may equal the count. Errors: as `flx_object_set`, INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_list_insert(flx_list_t *FLX_NONNULL list, size_t index, const flx_value_t *FLX_NONNULL value,
                                     flx_error_t *FLX_NULLABLE error);

/** Removes an element. Errors: as `flx_object_set`, INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_list_erase(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Moves an element, which ends up at index `to`. Errors: as `flx_object_set`, INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_list_move(flx_list_t *FLX_NONNULL list, size_t from, size_t to, flx_error_t *FLX_NULLABLE error);

/** Removes all elements. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_list_clear(flx_list_t *FLX_NONNULL list, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
