/* SPDX-License-Identifier: Apache-2.0 */
/** @file Sets and dictionaries. Everything here happens on the thread of the realm. */
#ifndef FLEXSYNC_COLLECTION_H
#define FLEXSYNC_COLLECTION_H

#include "object.h"

FLX_BEGIN_DECLS

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

/** The dictionary of a property. It is live. Errors: OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH. */
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

FLX_END_DECLS

#endif
