/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Lists and dictionaries nested in mixed values. Functions are called on the thread of the realm.
 *
 * Reading a mixed value that holds a collection yields a value of type FLX_TYPE_LIST or FLX_TYPE_DICTIONARY, without
 * its content. A handle to the collection comes from `flx_object_get_list`, `flx_object_get_dictionary` or the
 * functions here, and is used like that of a collection property. The handle stands for a place: if an index leads
 * there, it stands for a different place once elements before that index have been inserted or removed. Using a
 * handle whose place no longer holds such a collection fails with OBJECT_INVALIDATED. Collections nest at most 100
 * levels deep, including the one in the property; deeper nesting fails with INVALID_ARGUMENT.
 */
#ifndef FLEXSYNC_MIXED_H
#define FLEXSYNC_MIXED_H

#include "collection.h"

FLX_BEGIN_DECLS

/** Gets the list in an element. Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_list_get_list(flx_list_t *FLX_NONNULL list, size_t index,
                                       flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list, flx_error_t *FLX_NULLABLE error);

/**
 * Gets the dictionary in an element. Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS, TYPE_MISMATCH if there is none.
 */
FLX_API flx_status_t flx_list_get_dictionary(flx_list_t *FLX_NONNULL list, size_t index,
                                             flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                             flx_error_t *FLX_NULLABLE error);

/** Gets the list in an entry. Errors: OBJECT_INVALIDATED, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_dictionary_get_list(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                             flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list,
                                             flx_error_t *FLX_NULLABLE error);

/** Gets the dictionary in an entry. Errors: OBJECT_INVALIDATED, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_dictionary_get_dictionary(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                   flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                                   flx_error_t *FLX_NULLABLE error);

/** Sets a mixed property to an empty list, whatever it holds. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_object_set_list(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                         flx_error_t *FLX_NULLABLE error);

/** Sets a mixed property to an empty dictionary, whatever it holds. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_object_set_dictionary(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                               flx_error_t *FLX_NULLABLE error);

/** Replaces an element with an empty list. Errors: as `flx_list_set`. */
FLX_API flx_status_t flx_list_set_list(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Replaces an element with an empty dictionary. Errors: as `flx_list_set`. */
FLX_API flx_status_t flx_list_set_dictionary(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Inserts an empty list before `index`, which may equal the count. Errors: as `flx_list_insert`. */
FLX_API flx_status_t flx_list_insert_list(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Inserts an empty dictionary before `index`, which may equal the count. Errors: as `flx_list_insert`. */
FLX_API flx_status_t flx_list_insert_dictionary(flx_list_t *FLX_NONNULL list, size_t index,
                                                flx_error_t *FLX_NULLABLE error);

/** Adds an entry with an empty list, or replaces its value with one. Errors: as `flx_dictionary_set`. */
FLX_API flx_status_t flx_dictionary_set_list(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                             flx_error_t *FLX_NULLABLE error);

/** Adds an entry with an empty dictionary, or replaces its value with one. Errors: as `flx_dictionary_set`. */
FLX_API flx_status_t flx_dictionary_set_dictionary(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                   flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
