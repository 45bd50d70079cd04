/* SPDX-License-Identifier: Apache-2.0 */
/** @file Sets and dictionaries, and observing collections. Everything here happens on the thread of the realm. */
#ifndef FLEXSYNC_COLLECTION_H
#define FLEXSYNC_COLLECTION_H

#include "object.h"

FLX_BEGIN_DECLS

/** What changed of observed results, of a list or of a set since the last call. */
typedef struct flx_collection_changes {
  /** The first call: nothing is listed. */
  bool is_initial;
  /** Indexes before the change of elements that left. Ascending; borrowed for the call, as the others are. */
  const size_t *FLX_NULLABLE deletions;
  size_t deletion_count;
  /** Indexes after the change of elements that came. */
  const size_t *FLX_NULLABLE insertions;
  size_t insertion_count;
  /** Indexes after the change of objects that stayed and have other values, and of replaced elements of a list. */
  const size_t *FLX_NULLABLE modifications;
  size_t modification_count;
} flx_collection_changes_t;

/** Called when an observed collection changed. Thread: that of the realm. */
typedef void (*flx_collection_observer_t)(void *FLX_NULLABLE userdata, const flx_collection_changes_t *FLX_NONNULL changes);

/**
 * Observes a list until the token is released. The first call comes with the next refresh or commit. When its object
 * is deleted, all elements are reported as deleted.
 *
 * Errors: OBJECT_INVALIDATED, UNSUPPORTED for a list nested in a mixed value: observe its object.
 */
FLX_API flx_status_t flx_list_observe(flx_list_t *FLX_NONNULL list, flx_collection_observer_t FLX_NONNULL callback,
                                      void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                      flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                      flx_error_t *FLX_NULLABLE error);

/**
 * The objects of a list of links as live results, in the order of the list, to be filtered and sorted. Once they are
 * sorted, an object that is in the list several times is there once.
 * Errors: OBJECT_INVALIDATED, TYPE_MISMATCH for a list of other elements.
 */
FLX_API flx_status_t flx_list_get_results(flx_list_t *FLX_NONNULL list, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                          flx_error_t *FLX_NULLABLE error);

/** The set of a property. It is live. Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH. */
FLX_API flx_status_t flx_object_get_set(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                        flx_set_t *FLX_NULLABLE *FLX_NONNULL out_set, flx_error_t *FLX_NULLABLE error);
FLX_API void flx_set_release(flx_set_t *FLX_NULLABLE set);

/** The number of elements. Links whose target is not on this device do not count. Errors: OBJECT_INVALIDATED. */
FLX_API flx_status_t flx_set_count(flx_set_t *FLX_NONNULL set, size_t *FLX_NONNULL out_count,
                                   flx_error_t *FLX_NULLABLE error);

/**
 * Reads an element. Elements are sorted by their values, null first; links by the primary keys of their targets.
 *
 * @param out_value text and bytes are borrowed until the next call on this set.
 * Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_set_get(flx_set_t *FLX_NONNULL set, size_t index, flx_value_t *FLX_NONNULL out_value,
                                 flx_error_t *FLX_NULLABLE error);

/**
 * The index of an element; `SIZE_MAX` if the set does not have it, or could not.
 * Errors: OBJECT_INVALIDATED, INVALID_ARGUMENT for text that is not UTF-8.
 */
FLX_API flx_status_t flx_set_find(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                  size_t *FLX_NONNULL out_index, flx_error_t *FLX_NULLABLE error);

/**
 * Adds an element.
 *
 * @param out_is_new whether it was not there before; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_set_insert(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                    bool *FLX_NULLABLE out_is_new, flx_error_t *FLX_NULLABLE error);

/**
 * Removes an element.
 *
 * @param out_was_there whether there was one; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_set_erase(flx_set_t *FLX_NONNULL set, const flx_value_t *FLX_NONNULL value,
                                   bool *FLX_NULLABLE out_was_there, flx_error_t *FLX_NULLABLE error);

/** Removes all elements. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_set_clear(flx_set_t *FLX_NONNULL set, flx_error_t *FLX_NULLABLE error);

/** The objects of a set of links as live results. Errors: as `flx_list_get_results`. */
FLX_API flx_status_t flx_set_get_results(flx_set_t *FLX_NONNULL set, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                         flx_error_t *FLX_NULLABLE error);

/** Observes a set as `flx_list_observe` does a list. */
FLX_API flx_status_t flx_set_observe(flx_set_t *FLX_NONNULL set, flx_collection_observer_t FLX_NONNULL callback,
                                     void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                     flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                     flx_error_t *FLX_NULLABLE error);

/**
 * The dictionary of a property, or the one that a mixed property holds (see mixed.h). It is live.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
 */
FLX_API flx_status_t flx_object_get_dictionary(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                               flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                               flx_error_t *FLX_NULLABLE error);
FLX_API void flx_dictionary_release(flx_dictionary_t *FLX_NULLABLE dictionary);

/** The number of entries. Errors: OBJECT_INVALIDATED. */
FLX_API flx_status_t flx_dictionary_count(flx_dictionary_t *FLX_NONNULL dictionary, size_t *FLX_NONNULL out_count,
                                          flx_error_t *FLX_NULLABLE error);

/**
 * Reads an entry by position. Entries are sorted by the bytes of their keys. A link is null if its target does not
 * exist on this device.
 *
 * @param out_key, out_value text and bytes are borrowed until the next call on this dictionary. Each may be NULL.
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
 * @param out_was_there whether there was one; may be NULL.
 * Errors: as `flx_object_set`.
 */
FLX_API flx_status_t flx_dictionary_erase(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                          bool *FLX_NULLABLE out_was_there, flx_error_t *FLX_NULLABLE error);

/** Removes all entries. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_dictionary_clear(flx_dictionary_t *FLX_NONNULL dictionary, flx_error_t *FLX_NULLABLE error);

/** What changed of an observed dictionary since the last call, by key; keys are sorted. */
typedef struct flx_dictionary_changes {
  /** The first call: nothing is listed. */
  bool is_initial;
  /** Keys of entries that left. Borrowed for the call, as the others are. */
  const flx_string_t *FLX_NULLABLE deletions;
  size_t deletion_count;
  /** Keys of entries that came. */
  const flx_string_t *FLX_NULLABLE insertions;
  size_t insertion_count;
  /** Keys of entries that have another value, or whose object has other values. */
  const flx_string_t *FLX_NULLABLE modifications;
  size_t modification_count;
} flx_dictionary_changes_t;

/** Called when an observed dictionary changed. Thread: that of the realm. */
typedef void (*flx_dictionary_observer_t)(void *FLX_NULLABLE userdata, const flx_dictionary_changes_t *FLX_NONNULL changes);

/** Observes a dictionary as `flx_list_observe` does a list. */
FLX_API flx_status_t flx_dictionary_observe(flx_dictionary_t *FLX_NONNULL dictionary,
                                            flx_dictionary_observer_t FLX_NONNULL callback,
                                            void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                            flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                            flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
