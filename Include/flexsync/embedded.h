/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Objects that live inside others. Everything here happens on the thread of the realm.
 *
 * Objects of an embedded class have no primary key. Each is created in the place that holds it, a property or an
 * element of a collection, and is read like any object: the place holds a link to it. It is erased with its place, by
 * setting the property to null, by replacing it, or with the object that holds it. To write inside of an embedded object
 * takes the subscription that writing the object around it takes.
 */
#ifndef FLEXSYNC_EMBEDDED_H
#define FLEXSYNC_EMBEDDED_H

#include "collection.h"
#include "query.h"

FLX_BEGIN_DECLS

/**
 * Creates an object with default values in a property of an embedded class, in place of the one that is there.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH, NO_SUBSCRIPTION_FOR_WRITE.
 */
FLX_API flx_status_t flx_object_set_embedded(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                             flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Creates an object with default values in a list of an embedded class, before `index`, which may be the count.
 *
 * Errors: as `flx_object_set_embedded`, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_list_insert_embedded(flx_list_t *FLX_NONNULL list, size_t index,
                                              flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                              flx_error_t *FLX_NULLABLE error);

/**
 * Creates an object with default values in place of an element.
 *
 * Errors: as `flx_object_set_embedded`, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_list_set_embedded(flx_list_t *FLX_NONNULL list, size_t index,
                                           flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Creates an object with default values as the value of a key, in place of the one that is there.
 *
 * Errors: as `flx_object_set_embedded`, INVALID_ARGUMENT for a key that begins with `$`, contains `.` or is not UTF-8.
 */
FLX_API flx_status_t flx_dictionary_set_embedded(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                 flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * The objects that link to `object` by one property of their class, in the order of insertion; one that links more than
 * once is there as often. They are live, and empty once `object` is deleted.
 *
 * @param origin_property a link, or a collection of links, to the class of `object`.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_CLASS, NO_SUCH_PROPERTY, TYPE_MISMATCH.
 */
FLX_API flx_status_t flx_object_get_backlinks(flx_object_t *FLX_NONNULL object, flx_class_key_t origin_class,
                                              flx_property_key_t origin_property,
                                              flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                              flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
