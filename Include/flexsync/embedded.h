/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Embedded objects and backlinks. Functions are called on the thread of the realm.
 *
 * Objects of an embedded class live inside other objects and have no primary key. Each is created in the place that
 * holds it, a property or an element of a collection, and is read like any other object: the place holds a link to
 * it. It is deleted along with its place, by setting the property to null, by replacing it, or with the object that
 * holds it. Writing to an embedded object requires the same subscription as writing to the object that contains it.
 */
#ifndef FLEXSYNC_EMBEDDED_H
#define FLEXSYNC_EMBEDDED_H

#include "collection.h"
#include "query.h"

FLX_BEGIN_DECLS

/**
 * Creates an embedded object with default values in a property, replacing the one that is there.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH, NO_SUBSCRIPTION_FOR_WRITE.
 */
FLX_API flx_status_t flx_object_set_embedded(flx_object_t *FLX_NONNULL object, flx_property_key_t property,
                                             flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Creates an embedded object with default values in a list, before `index`, which may equal the count.
 *
 * Errors: as `flx_object_set_embedded`, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_list_insert_embedded(flx_list_t *FLX_NONNULL list, size_t index,
                                              flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                              flx_error_t *FLX_NULLABLE error);

/**
 * Creates an embedded object with default values in a list, replacing an element.
 *
 * Errors: as `flx_object_set_embedded`, INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_list_set_embedded(flx_list_t *FLX_NONNULL list, size_t index,
                                           flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Creates an embedded object with default values as the value of a key, replacing the one that is there.
 *
 * Errors: as `flx_object_set_embedded`, INVALID_ARGUMENT for a key that begins with `$`, contains `.` or is not
 * UTF-8.
 */
FLX_API flx_status_t flx_dictionary_set_embedded(flx_dictionary_t *FLX_NONNULL dictionary, flx_string_t key,
                                                 flx_object_t *FLX_NULLABLE *FLX_NONNULL out_embedded,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Gets the objects that link to `object` through one property of their class, in the order of insertion. An object
 * that links several times appears as often. The results are live, and empty once `object` is deleted. Those of an
 * embedded object are the object that holds it, or none if another property holds it.
 *
 * @param origin_property a link, or a collection of links, to the class of `object`; for an embedded object, a property
 * that can hold it.
 * Errors: OBJECT_INVALIDATED, NO_SUCH_CLASS, NO_SUCH_PROPERTY, TYPE_MISMATCH.
 */
FLX_API flx_status_t flx_object_get_backlinks(flx_object_t *FLX_NONNULL object, flx_class_key_t origin_class,
                                              flx_property_key_t origin_property,
                                              flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                              flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
