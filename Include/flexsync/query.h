/* SPDX-License-Identifier: Apache-2.0 */
/** @file Queries in Realm Query Language and their live results. Everything here happens on the thread of the realm. */
#ifndef FLEXSYNC_QUERY_H
#define FLEXSYNC_QUERY_H

#include "collection.h"

FLX_BEGIN_DECLS

/**
 * All objects of a class, in the order of insertion.
 *
 * Errors: NO_SUCH_CLASS, INVALID_ARGUMENT for an asymmetric class, whose objects are not kept on the device.
 */
FLX_API flx_status_t flx_results_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                        flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                        flx_error_t *FLX_NULLABLE error);

/**
 * Those of `results` that match a query, which may end in SORT, DISTINCT and LIMIT.
 *
 * @param arguments the values of `$0`, `$1` …
 * Errors: QUERY_SYNTAX, QUERY_INVALID, QUERY_ARGUMENT.
 */
FLX_API flx_status_t flx_results_filter(flx_results_t *FLX_NONNULL results, flx_string_t query,
                                        const flx_query_argument_t *FLX_NULLABLE arguments, size_t argument_count,
                                        flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                        flx_error_t *FLX_NULLABLE error);

/** One key of a sort. */
typedef struct flx_sort_key {
  /** A property, or a path through links such as "owner.name". */
  flx_string_t key_path;
  bool is_ascending;
} flx_sort_key_t;

/** The same objects in another order; the first key is the main one. Errors: QUERY_INVALID. */
FLX_API flx_status_t flx_results_sort(flx_results_t *FLX_NONNULL results, const flx_sort_key_t *FLX_NONNULL keys,
                                      size_t key_count, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                      flx_error_t *FLX_NULLABLE error);

FLX_API flx_results_t *FLX_NONNULL flx_results_retain(flx_results_t *FLX_NONNULL results);
FLX_API void flx_results_release(flx_results_t *FLX_NULLABLE results);

FLX_API flx_class_key_t flx_results_class(const flx_results_t *FLX_NONNULL results);

/** The predicate as canonical text, without sort, distinct and limit. Borrowed from the results. */
FLX_API flx_string_t flx_results_predicate(flx_results_t *FLX_NONNULL results);

/** The number of objects now. */
FLX_API flx_status_t flx_results_count(flx_results_t *FLX_NONNULL results, size_t *FLX_NONNULL out_count,
                                       flx_error_t *FLX_NULLABLE error);

/** The object at an index. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_results_get_object(flx_results_t *FLX_NONNULL results, size_t index,
                                            flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object,
                                            flx_error_t *FLX_NULLABLE error);

/** The index of an object; `SIZE_MAX` if it is not among the results. */
FLX_API flx_status_t flx_results_index_of(flx_results_t *FLX_NONNULL results, const flx_object_t *FLX_NONNULL object,
                                          size_t *FLX_NONNULL out_index, flx_error_t *FLX_NULLABLE error);

/** Deletes all objects of the results. Errors: as `flx_object_delete`. */
FLX_API flx_status_t flx_results_delete_all(flx_results_t *FLX_NONNULL results, flx_error_t *FLX_NULLABLE error);

/** Observes results until the token is released. The first call comes with the next refresh or commit. */
FLX_API flx_status_t flx_results_observe(flx_results_t *FLX_NONNULL results, flx_collection_observer_t FLX_NONNULL callback,
                                         void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                         flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                         flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
