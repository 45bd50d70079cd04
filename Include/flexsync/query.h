/* SPDX-License-Identifier: Apache-2.0 */
/** @file Queries in Realm Query Language and their live results. Everything here happens on the thread of the realm. */
#ifndef FLEXSYNC_QUERY_H
#define FLEXSYNC_QUERY_H

#include "collection.h"

FLX_BEGIN_DECLS

/**
 * Checks the grammar of a query text. Whether it fits a class is what `flx_query_create` checks. Any thread.
 *
 * @param out_position if the text is refused, the offset in bytes where the trouble starts; may be NULL.
 * Errors: QUERY_SYNTAX, also for a text of more than 256 kB or one that nests too deep; INVALID_ARGUMENT for text that
 * is not UTF-8.
 */
FLX_API flx_status_t flx_query_parse(flx_string_t query, size_t *FLX_NULLABLE out_position,
                                     flx_error_t *FLX_NULLABLE error);

/**
 * A query that fits a class and its arguments, without running it.
 *
 * @param arguments the values of `$0`, `$1` …
 * @param out_query release it with `flx_query_release`.
 * Errors: NO_SUCH_CLASS, QUERY_SYNTAX, QUERY_INVALID, QUERY_ARGUMENT.
 */
FLX_API flx_status_t flx_query_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key, flx_string_t query,
                                      const flx_query_argument_t *FLX_NULLABLE arguments, size_t argument_count,
                                      flx_query_t *FLX_NULLABLE *FLX_NONNULL out_query,
                                      flx_error_t *FLX_NULLABLE error);

FLX_API void flx_query_release(flx_query_t *FLX_NULLABLE query);

/**
 * The one text that stands for the query, with its arguments and with SORT, DISTINCT and LIMIT. Two queries with the
 * same text are the same query. Borrowed from the query. Any thread.
 */
FLX_API flx_string_t flx_query_canonical(const flx_query_t *FLX_NONNULL query);

/**
 * Checks whether a server accepts the query for a subscription, with the message that the server would give.
 *
 * @param queryable_fields the fields that queries on the class may use besides the primary key; NULL if the program
 *   does not know them, which takes all of them for queryable.
 * Errors: QUERY_INVALID. Any thread.
 */
FLX_API flx_status_t flx_query_validate_for_sync(const flx_query_t *FLX_NONNULL query,
                                                 const flx_string_t *FLX_NULLABLE queryable_fields,
                                                 size_t queryable_field_count, flx_error_t *FLX_NULLABLE error);

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

/**
 * One object for each combination of values, the first in the present order. Objects whose link on the way is null have
 * none and are left out.
 *
 * @param key_paths properties, or paths through links such as "owner.name".
 * Errors: QUERY_INVALID.
 */
FLX_API flx_status_t flx_results_distinct(flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NONNULL key_paths,
                                          size_t key_path_count, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                          flx_error_t *FLX_NULLABLE error);

/** The first objects in the present order. Errors: INVALID_ARGUMENT for a limit beyond 2^63. */
FLX_API flx_status_t flx_results_limit(flx_results_t *FLX_NONNULL results, size_t limit,
                                       flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                       flx_error_t *FLX_NULLABLE error);

FLX_API flx_results_t *FLX_NONNULL flx_results_retain(flx_results_t *FLX_NONNULL results);
FLX_API void flx_results_release(flx_results_t *FLX_NULLABLE results);

/** The class of the objects. */
FLX_API flx_class_key_t flx_results_class(const flx_results_t *FLX_NONNULL results);

/** The predicate as canonical text, without sort, distinct and limit. Borrowed from the results. */
FLX_API flx_string_t flx_results_predicate(flx_results_t *FLX_NONNULL results);

/** The number of objects now. */
FLX_API flx_status_t flx_results_count(flx_results_t *FLX_NONNULL results, size_t *FLX_NONNULL out_count,
                                       flx_error_t *FLX_NULLABLE error);

/** What `flx_results_aggregate` computes. */
typedef enum FLX_ENUM flx_aggregate {
  /** The least value: of numbers, timestamps and mixed. */
  FLX_AGGREGATE_MIN = 1,
  /** The greatest value: of numbers, timestamps and mixed. */
  FLX_AGGREGATE_MAX = 2,
  /** The sum of numbers: an int for ints, which wraps around, a decimal for decimals and mixed, else a double. */
  FLX_AGGREGATE_SUM = 3,
  /** The average of numbers: a decimal for decimals and mixed, else a double. */
  FLX_AGGREGATE_AVERAGE = 4,
  /** How many values are not null, of any type. */
  FLX_AGGREGATE_COUNT = 5
} flx_aggregate_t;

/**
 * Computes one value over a property of all objects of the results. Nulls are skipped; over no values minimum, maximum
 * and average are null, sum and count 0.
 *
 * @param out_value text and bytes are borrowed until the next call on the results or until they are released.
 * Errors: NO_SUCH_PROPERTY, TYPE_MISMATCH for a collection or a type that the aggregate does not take, INVALID_ARGUMENT
 * for another aggregate.
 */
FLX_API flx_status_t flx_results_aggregate(flx_results_t *FLX_NONNULL results, flx_aggregate_t aggregate,
                                           flx_property_key_t property, flx_value_t *FLX_NONNULL out_value,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * How the results are found: the SQL statement, and then, each on a line of its own, the steps of SQLite's plan.
 * "SEARCH … USING INDEX" goes through an index, "SCAN" through all objects. For people who tune; the text may change.
 *
 * @param out_text borrowed until the next call on the results or until they are released.
 */
FLX_API flx_status_t flx_results_explain(flx_results_t *FLX_NONNULL results, flx_string_t *FLX_NONNULL out_text,
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
