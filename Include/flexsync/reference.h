/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file References to objects, collections and results, with which another thread finds them in its own handle of the
 * same realm.
 *
 * A reference is made on the thread of the realm. It can then be used on any thread, by several threads at once and any
 * number of times. It keeps neither the realm open nor the data of its time: resolving it advances the other realm to
 * data at least as new as those in which the reference was made, unless that realm is in a write transaction, which has
 * the newest data anyway. A reference that was made in a write transaction needs the data that its commit leaves; one that
 * was made in a frozen realm is content with any data.
 */
#ifndef FLEXSYNC_REFERENCE_H
#define FLEXSYNC_REFERENCE_H

#include "collection.h"
#include "query.h"

FLX_BEGIN_DECLS

/**
 * Makes a reference to an object. In the write transaction that creates the object, it leads to nothing on other
 * threads until the transaction is committed.
 *
 * Errors: OBJECT_INVALIDATED. Thread: the realm's.
 */
FLX_API flx_status_t flx_object_make_reference(flx_object_t *FLX_NONNULL object,
                                               flx_reference_t *FLX_NULLABLE *FLX_NONNULL out_reference,
                                               flx_error_t *FLX_NULLABLE error);

/**
 * Makes a reference to a list.
 *
 * Errors: OBJECT_INVALIDATED, UNSUPPORTED for a list nested in a mixed value: refer to its object. Thread: the realm's.
 */
FLX_API flx_status_t flx_list_make_reference(flx_list_t *FLX_NONNULL list,
                                             flx_reference_t *FLX_NULLABLE *FLX_NONNULL out_reference,
                                             flx_error_t *FLX_NULLABLE error);

/** Makes a reference to a set. Errors: OBJECT_INVALIDATED. Thread: the realm's. */
FLX_API flx_status_t flx_set_make_reference(flx_set_t *FLX_NONNULL set,
                                            flx_reference_t *FLX_NULLABLE *FLX_NONNULL out_reference,
                                            flx_error_t *FLX_NULLABLE error);

/** Makes a reference to a dictionary. Errors: as `flx_list_make_reference`. Thread: the realm's. */
FLX_API flx_status_t flx_dictionary_make_reference(flx_dictionary_t *FLX_NONNULL dictionary,
                                                   flx_reference_t *FLX_NULLABLE *FLX_NONNULL out_reference,
                                                   flx_error_t *FLX_NULLABLE error);

/** Makes a reference to results: to their query, not to the objects that they show now. Thread: the realm's. */
FLX_API flx_status_t flx_results_make_reference(flx_results_t *FLX_NONNULL results,
                                                flx_reference_t *FLX_NULLABLE *FLX_NONNULL out_reference,
                                                flx_error_t *FLX_NULLABLE error);

/**
 * Finds the object of a reference in another handle of its realm. `*out_object` is NULL if the object was deleted, also
 * along with its file, and if the transaction that created it was canceled.
 *
 * Errors: INVALID_ARGUMENT for a realm of another file, TYPE_MISMATCH for a reference to something else, NO_SUCH_CLASS
 * and NO_SUCH_PROPERTY if this handle was opened with other classes. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_resolve_object(flx_realm_t *FLX_NONNULL realm,
                                              const flx_reference_t *FLX_NONNULL reference,
                                              flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object,
                                              flx_error_t *FLX_NULLABLE error);

/**
 * Finds the list of a reference. `*out_list` is NULL if its object was deleted. Errors and thread: as
 * `flx_realm_resolve_object`.
 */
FLX_API flx_status_t flx_realm_resolve_list(flx_realm_t *FLX_NONNULL realm,
                                            const flx_reference_t *FLX_NONNULL reference,
                                            flx_list_t *FLX_NULLABLE *FLX_NONNULL out_list,
                                            flx_error_t *FLX_NULLABLE error);

/**
 * Finds the set of a reference. `*out_set` is NULL if its object was deleted. Errors and thread: as
 * `flx_realm_resolve_object`.
 */
FLX_API flx_status_t flx_realm_resolve_set(flx_realm_t *FLX_NONNULL realm,
                                           const flx_reference_t *FLX_NONNULL reference,
                                           flx_set_t *FLX_NULLABLE *FLX_NONNULL out_set,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Finds the dictionary of a reference. `*out_dictionary` is NULL if its object was deleted. Errors and thread: as
 * `flx_realm_resolve_object`.
 */
FLX_API flx_status_t flx_realm_resolve_dictionary(flx_realm_t *FLX_NONNULL realm,
                                                  const flx_reference_t *FLX_NONNULL reference,
                                                  flx_dictionary_t *FLX_NULLABLE *FLX_NONNULL out_dictionary,
                                                  flx_error_t *FLX_NULLABLE error);

/**
 * Finds the results of a reference. `*out_results` is NULL if they are those of an object that was deleted: its
 * backlinks, or the objects of its list or set. Errors and thread: as `flx_realm_resolve_object`.
 */
FLX_API flx_status_t flx_realm_resolve_results(flx_realm_t *FLX_NONNULL realm,
                                               const flx_reference_t *FLX_NONNULL reference,
                                               flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                               flx_error_t *FLX_NULLABLE error);

/** Retains a reference. Any thread. */
FLX_API flx_reference_t *FLX_NONNULL flx_reference_retain(flx_reference_t *FLX_NONNULL reference);
/** Releases a reference. Any thread. */
FLX_API void flx_reference_release(flx_reference_t *FLX_NULLABLE reference);

FLX_END_DECLS

#endif
