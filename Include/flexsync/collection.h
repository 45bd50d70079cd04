/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Sets, dictionaries and the observation of collections. Functions are called, and callbacks run, on the thread
 * of the realm.
 */
#ifndef FLEXSYNC_COLLECTION_H
#define FLEXSYNC_COLLECTION_H

#include "object.h"

FLX_BEGIN_DECLS

/** The changes to observed results, a list or a set since the last call. */
typedef struct flx_collection_changes {
  /** Whether this is the first call, which lists nothing. */
  bool is_initial;
  /** Indexes before the change of elements that were removed. Ascending and borrowed for the call, like the others. */
  const size_t *FLX_NULLABLE deletions;
  size_t deletion_count;
  /** Indexes after the change of elements that were added. */
  const size_t *FLX_NULLABLE insertions;
  size_t insertion_count;
  /**
   * Indexes after the change of objects that stayed and have new values, or that link, over up to four links, to an
   * object that has; and of replaced elements of a list.
   */
  const size_t *FLX_NULLABLE modifications;
  size_t modification_count;
} flx_collection_changes_t;

/** Called when an observed collection has changed. Thread: the realm's. */
typedef void (*flx_collection_observer_t)(void *FLX_NULLABLE userdata, const flx_collection_changes_t *FLX_NONNULL changes);

/**
 * Observes a list until the token is released. The first call is made during the next refresh, begin or commit. When
 * the object that holds the list is deleted, all elements are reported as deleted, and so they are when a list nested in
 * a mixed value is replaced.
 *
 * Errors: OBJECT_INVALIDATED.
 */
FLX_API flx_status_t flx_list_observe(flx_list_t *FLX_NONNULL list, flx_collection_observer_t FLX_NONNULL callback,
                                      void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                      flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                      flx_error_t *FLX_NULLABLE error);

/**
 * Observes a list, like `flx_list_observe`, but objects in it count as modified only if something has changed at the end
 * of one of the key paths, which begin at their class (see `flx_object_observe_key_paths`), or in a link on the way there.
 *
 * Errors: those of `flx_list_observe`, NO_SUCH_PROPERTY and NO_SUCH_CLASS for a path that leads nowhere, TYPE_MISMATCH if
 * the elements are not objects.
 */
FLX_API flx_status_t flx_list_observe_key_paths(
    flx_list_t *FLX_NONNULL list, const flx_string_t *FLX_NULLABLE key_paths, size_t key_path_count,
    flx_collection_observer_t FLX_NONNULL callback, void *FLX_NULLABLE userdata,
    flx_free_userdata_t FLX_NULLABLE free_userdata, flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
    flx_error_t *FLX_NULLABLE error);

/**
 * Gets the objects of a list of links as live results, in the order of the list, for filtering and sorting. Once
 * sorted, they include an object that is in the list several times only once.
 * Errors: OBJECT_INVALIDATED, TYPE_MISMATCH for a list of anything but links.
 */
FLX_API flx_status_t flx_list_get_results(flx_list_t *FLX_NONNULL list, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                          flx_error_t *FLX_NULLABLE error);

/**
 * Finds the index of the first element that equals a value; `SIZE_MAX` if the list does not contain it. Links are equal
 * if they lead to the same object; text and bytes, if all bytes are; every NaN equals every other; other
 * numbers in mixed values are equal if their values are, of whatever type. The same makes two values one element of a set.
 * Errors: OBJECT_INVALIDATED, INVALID_ARGUMENT for text that is not UTF-8.
 */
FLX_API flx_status_t flx_list_find(flx_list_t *FLX_NONNULL list, const flx_value_t *FLX_NONNULL value,
                                   size_t *FLX_NONNULL out_index, flx_error_t *FLX_NULLABLE error);

/** Gets the set of a property. It is live. Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH. */
FLX_API flx_status_t flx_object_get_set(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                        flx_set_t *FLX_NULLABLE *FLX_NONNULL out_set, flx_error_t *FLX_NULLABLE error);
/** Retains a set. Thread: the realm's. */
FLX_API flx_set_t *FLX_NONNULL flx_set_retain(flx_set_t *FLX_NONNULL set);
/** Releases a set. Any thread. */
FLX_API void flx_set_release(flx_set_t *FLX_NULLABLE set);

/** The number of elements. Links whose target is not on this device are not counted. Errors: OBJECT_INVALIDATED. */
FLX_API flx_status_t flx_set_count(flx_set_t *FLX_NONNULL set, size_t *FLX_NONNULL out_count,
                                   flx_error_t *FLX_NULLABLE error);

/**
 * Reads an element. Elements are sorted by value, null first; links by the primary keys of their targets.
 *
 * @param out_value text and bytes are borrowed until the next call on this set.
 * Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_set_get(flx_set_t *FLX_NONNULL set, size_t index, flx_value_t *FLX_NONNULL out_value,
                                 flx_error_t *FLX_NULLABLE error);

/**
 * Finds the index of an element; `SIZE_MAX` if the set does not contain it, or could not.
 * Errors: OBJECT_INVALIDATED, INVALID_ARGUMENT for text that is not UTF-8.
 */
FLX_API flx_status_t flx_set_find(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                  size_t *FLX_NONNULL out_index, flx_error_t *FLX_NULLABLE error);

/**
 * Adds an element.
 *
 * @param out_is_new whether the set did not contain it before; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_set_insert(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                    bool *FLX_NULLABLE out_is_new, flx_error_t *FLX_NULLABLE error);

/**
 * Removes an element.
 *
 * @param out_was_there whether the set contained it; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_set_erase(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                   bool *FLX_NULLABLE out_was_there, flx_error_t *FLX_NULLABLE error);

/** Removes all elements. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_set_clear(flx_set_t *FLX_NONNULL set, flx_error_t *FLX_NULLABLE error);

/** Gets the objects of a set of links as live results. Errors: as `flx_list_get_results`. */
FLX_API flx_status_t flx_set_get_results(flx_set_t *FLX_NONNULL set, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                         flx_error_t *FLX_NULLABLE error);

/** Observes a set, like `flx_list_observe`. */
FLX_API flx_status_t flx_set_observe(flx_set_t *FLX_NONNULL set, flx_collection_observer_t FLX_NONNULL callback,
                                     void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                     flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                     flx_error_t *FLX_NULLABLE error);

/** Observes a set, like `flx_list_observe_key_paths`. */
FLX_API flx_status_t flx_set_observe_key_paths(
    flx_set_t *FLX_NONNULL set, const flx_string_t *FLX_NULLABLE key_paths, size_t key_path_count,
    flx_collection_observer_t FLX_NONNULL callback, void *FLX_NULLABLE userdata,
    flx_free_userdata_t FLX_NULLABLE free_userdata, flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
    flx_error_t *FLX_NULLABLE error);

/**
 * Gets the dictionary of a property, or the dictionary that a mixed property holds (see mixed.h). It is live.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
 */
FLX_API flx_status_t flx_object_get_dictionary(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                               flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                               flx_error_t *FLX_NULLABLE error);
/** Retains a dictionary. Thread: the realm's. */
FLX_API flx_dictionary_t *FLX_NONNULL flx_dictionary_retain(flx_dictionary_t *FLX_NONNULL dictionary);
/** Releases a dictionary. Any thread. */
FLX_API void flx_dictionary_release(flx_dictionary_t *FLX_NULLABLE dictionary);

/** The number of entries. Errors: OBJECT_INVALIDATED. */
FLX_API flx_status_t flx_dictionary_count(flx_dictionary_t *FLX_NONNULL dictionary, size_t *FLX_NONNULL out_count,
                                          flx_error_t *FLX_NULLABLE error);

/**
 * Reads the entry at a position. Entries are sorted by the bytes of their keys. A link reads as null if its target is
 * not on this device.
 *
 * @param out_key borrowed until the next call on this dictionary; may be NULL.
 * @param out_value text and bytes are borrowed until the next call on this dictionary; may be NULL.
 * Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_dictionary_get_at(flx_dictionary_t *FLX_NONNULL dictionary, size_t index,
                                           flx_string_t *FLX_NULLABLE out_key, flx_value_t *FLX_NULLABLE out_value,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Reads the value of a key.
 *
 * @param out_value null if there is no such entry; text and bytes are borrowed until the next call on this dictionary.
 * @param out_is_there whether there is such an entry; may be NULL.
 * Errors: OBJECT_INVALIDATED, INVALID_ARGUMENT for a key that is not UTF-8.
 */
FLX_API flx_status_t flx_dictionary_get(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                        flx_value_t *FLX_NONNULL out_value, bool *FLX_NULLABLE out_is_there,
                                        flx_error_t *FLX_NULLABLE error);

/**
 * Adds an entry or replaces its value.
 *
 * Errors: as `flx_object_set`, INVALID_ARGUMENT for a key that begins with `$`, contains `.` or is not UTF-8.
 */
FLX_API flx_status_t flx_dictionary_set(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                        const flx_value_t *FLX_NONNULL value, flx_error_t *FLX_NULLABLE error);

/**
 * Removes an entry.
 *
 * @param out_was_there whether there was such an entry; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_dictionary_erase(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                          bool *FLX_NULLABLE out_was_there, flx_error_t *FLX_NULLABLE error);

/** Removes all entries. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_dictionary_clear(flx_dictionary_t *FLX_NONNULL dictionary, flx_error_t *FLX_NULLABLE error);

/**
 * Gets the objects of a dictionary of links as live results, in the order of the keys. Entries without an object are
 * left out. Once sorted, they include an object that several keys have only once.
 * Errors: OBJECT_INVALIDATED, TYPE_MISMATCH for a dictionary of anything but links.
 */
FLX_API flx_status_t flx_dictionary_get_results(flx_dictionary_t *FLX_NONNULL dictionary,
                                                flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                                flx_error_t *FLX_NULLABLE error);

/** The changes to an observed dictionary since the last call, by key; keys are sorted. */
typedef struct flx_dictionary_changes {
  /** Whether this is the first call, which lists nothing. */
  bool is_initial;
  /** Keys of entries that were removed. Borrowed for the call, like the others. */
  const flx_string_t *FLX_NULLABLE deletions;
  size_t deletion_count;
  /** Keys of entries that were added. */
  const flx_string_t *FLX_NULLABLE insertions;
  size_t insertion_count;
  /** Keys of entries that have a new value, or whose object is modified as in `flx_collection_changes_t`. */
  const flx_string_t *FLX_NULLABLE modifications;
  size_t modification_count;
} flx_dictionary_changes_t;

/** Called when an observed dictionary has changed. Thread: the realm's. */
typedef void (*flx_dictionary_observer_t)(void *FLX_NULLABLE userdata, const flx_dictionary_changes_t *FLX_NONNULL changes);

/** Observes a dictionary, like `flx_list_observe`. */
FLX_API flx_status_t flx_dictionary_observe(flx_dictionary_t *FLX_NONNULL dictionary,
                                            flx_dictionary_observer_t FLX_NONNULL callback,
                                            void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                            flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                            flx_error_t *FLX_NULLABLE error);

/** Observes a dictionary, like `flx_list_observe_key_paths`. */
FLX_API flx_status_t flx_dictionary_observe_key_paths(
    flx_dictionary_t *FLX_NONNULL dictionary, const flx_string_t *FLX_NULLABLE key_paths, size_t key_path_count,
    flx_dictionary_observer_t FLX_NONNULL callback, void *FLX_NULLABLE userdata,
    flx_free_userdata_t FLX_NULLABLE free_userdata, flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
    flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
