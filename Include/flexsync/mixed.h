/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Lists and dictionaries nested in values of type mixed. Everything here happens on the thread of the realm.
 *
 * Reading a mixed that holds a collection gives a value of type FLX_TYPE_LIST or FLX_TYPE_DICTIONARY, without content; a
 * handle of the collection comes from `flx_object_get_list`, `flx_object_get_dictionary` or the functions here, and is used
 * like that of a property. It means a place: what leads there by index is another place once elements in front of it were
 * inserted or removed, and using a handle whose place holds no such collection any more is the error OBJECT_INVALIDATED.
 * Collections nest at most 100 levels deep, the one of the property among them; more is the error INVALID_ARGUMENT.
 */
#ifndef FLEXSYNC_MIXED_H
#define FLEXSYNC_MIXED_H

#include "collection.h"

FLX_BEGIN_DECLS

/** The list in an element. Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_list_get_list(flx_list_t *FLX_NONNULL list, size_t index,
                                       flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list, flx_error_t *FLX_NULLABLE error);

/** The dictionary in an element. Errors: OBJECT_INVALIDATED, INDEX_OUT_OF_BOUNDS, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_list_get_dictionary(flx_list_t *FLX_NONNULL list, size_t index,
                                             flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                             flx_error_t *FLX_NULLABLE error);

/** The list in an entry. Errors: OBJECT_INVALIDATED, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_dictionary_get_list(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                             flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list,
                                             flx_error_t *FLX_NULLABLE error);

/** The dictionary in an entry. Errors: OBJECT_INVALIDATED, TYPE_MISMATCH if there is none. */
FLX_API flx_status_t flx_dictionary_get_dictionary(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                   flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                                   flx_error_t *FLX_NULLABLE error);

/** Makes a property of type mixed an empty list, whatever it holds. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_object_set_list(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                         flx_error_t *FLX_NULLABLE error);

/** Makes a property of type mixed an empty dictionary, whatever it holds. Errors: as `flx_object_set`. */
FLX_API flx_status_t flx_object_set_dictionary(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                               flx_error_t *FLX_NULLABLE error);

/** Makes an element an empty list, whatever it is. Errors: as `flx_list_set`. */
FLX_API flx_status_t flx_list_set_list(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Makes an element an empty dictionary, whatever it is. Errors: as `flx_list_set`. */
FLX_API flx_status_t flx_list_set_dictionary(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Inserts an empty list before `index`, which may be the count. Errors: as `flx_list_insert`. */
FLX_API flx_status_t flx_list_insert_list(flx_list_t *FLX_NONNULL list, size_t index, flx_error_t *FLX_NULLABLE error);

/** Inserts an empty dictionary before `index`, which may be the count. Errors: as `flx_list_insert`. */
FLX_API flx_status_t flx_list_insert_dictionary(flx_list_t *FLX_NONNULL list, size_t index,
                                                flx_error_t *FLX_NULLABLE error);

/** Makes an entry an empty list, whatever it is, or adds it. Errors: as `flx_dictionary_set`. */
FLX_API flx_status_t flx_dictionary_set_list(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                             flx_error_t *FLX_NULLABLE error);

/** Makes an entry an empty dictionary, whatever it is, or adds it. Errors: as `flx_dictionary_set`. */
FLX_API flx_status_t flx_dictionary_set_dictionary(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                   flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
