/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Queries in Realm Query Language and their live results. Functions are called, and callbacks run, on the
 * thread of the realm unless stated otherwise.
 */
#ifndef FLEXSYNC_QUERY_H
#define FLEXSYNC_QUERY_H

#include "collection.h"

FLX_BEGIN_DECLS

/**
 * Checks the syntax of a query text. Whether it fits a class is checked by `flx_query_create`. Any thread.
 *
 * @param out_position if the query itself is rejected, the byte offset where the problem starts; may be NULL.
 * Errors: QUERY_SYNTAX, also for a text of more than 256 kB or one nested too deeply; INVALID_ARGUMENT for text that
 * is not UTF-8.
 */
FLX_API flx_status_t flx_query_parse(flx_string_t query, size_t *FLX_NULLABLE out_position,
                                     flx_error_t *FLX_NULLABLE error);

/**
 * Creates a query, checking that it fits a class and its arguments, without running it.
 *
 * @param arguments the values of `$0`, `$1` …
 * @param out_query release it with `flx_query_release`.
 * Errors: NO_SUCH_CLASS, QUERY_SYNTAX, QUERY_INVALID, QUERY_ARGUMENT.
 */
FLX_API flx_status_t flx_query_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key, flx_string_t query,
                                      const flx_query_argument_t *FLX_NULLABLE arguments, size_t argument_count,
                                      flx_query_t *FLX_NULLABLE *FLX_NONNULL out_query,
                                      flx_error_t *FLX_NULLABLE error);

/** Retains a query. Thread: the realm's. */
FLX_API flx_query_t *FLX_NONNULL flx_query_retain(flx_query_t *FLX_NONNULL query);
/** Releases a query. Any thread. */
FLX_API void flx_query_release(flx_query_t *FLX_NULLABLE query);

/**
 * The canonical text of the query, including its arguments and SORT, DISTINCT and LIMIT. Two queries with the same
 * text are the same query. Borrowed from the query. Any thread.
 */
FLX_API flx_string_t flx_query_canonical(const flx_query_t *FLX_NONNULL query);

/**
 * Checks whether a server would accept the query for a subscription. The error message is the one the server would
 * give.
 *
 * @param queryable_fields the fields that queries on the class may use in addition to the primary key; NULL if the
 *   program does not know them, in which case all fields are treated as queryable.
 * Errors: QUERY_INVALID. Any thread.
 */
FLX_API flx_status_t flx_query_validate_for_sync(const flx_query_t *FLX_NONNULL query,
                                                 const flx_string_t *FLX_NULLABLE queryable_fields,
                                                 size_t queryable_field_count, flx_error_t *FLX_NULLABLE error);

/**
 * Gets all objects of a class, in the order of insertion.
 *
 * Errors: NO_SUCH_CLASS, INVALID_ARGUMENT for an asymmetric class, whose objects are not kept on the device.
 */
FLX_API flx_status_t flx_results_create(flx_realm_t *FLX_NONNULL realm, flx_class_key_t class_key,
                                        flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                        flx_error_t *FLX_NULLABLE error);

/**
 * Gets the objects among `results` that match a query, which may end with SORT, DISTINCT and LIMIT. Here, `[d]` and
 * `[cd]` may follow an operator, like `[c]`: they ignore accents. Subscriptions cannot contain them.
 *
 * @param arguments the values of `$0`, `$1` …
 * Errors: QUERY_SYNTAX, QUERY_INVALID, QUERY_ARGUMENT, INVALID_ARGUMENT for an argument that is no value, such as text
 * that is not UTF-8.
 */
FLX_API flx_status_t flx_results_filter(flx_results_t *FLX_NONNULL results, flx_string_t query,
                                        const flx_query_argument_t *FLX_NULLABLE arguments, size_t argument_count,
                                        flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                        flx_error_t *FLX_NULLABLE error);

/** One sort key. */
typedef struct flx_sort_key {
  /** A property, or a path through links such as "owner.name". */
  flx_string_t key_path;
  bool is_ascending;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[2];
} flx_sort_key_t;

/** Gets the same objects in a different order; the first key takes precedence. Errors: QUERY_INVALID. */
FLX_API flx_status_t flx_results_sort(flx_results_t *FLX_NONNULL results, const flx_sort_key_t *FLX_NONNULL keys,
                                      size_t key_count, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                      flx_error_t *FLX_NULLABLE error);

/**
 * Gets one object for each combination of values, the first in the current order. Objects for which a link along a
 * path is null have no such combination and are left out.
 *
 * @param key_paths properties, or paths through links such as "owner.name".
 * Errors: QUERY_INVALID.
 */
FLX_API flx_status_t flx_results_distinct(flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NONNULL key_paths,
                                          size_t key_path_count, flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                          flx_error_t *FLX_NULLABLE error);

/** Gets the first `limit` objects in the current order. Errors: INVALID_ARGUMENT for a limit of 2^63 or more. */
FLX_API flx_status_t flx_results_limit(flx_results_t *FLX_NONNULL results, size_t limit,
                                       flx_results_t *FLX_NULLABLE *FLX_NONNULL out_results,
                                       flx_error_t *FLX_NULLABLE error);

/** Retains results. Thread: the realm's. */
FLX_API flx_results_t *FLX_NONNULL flx_results_retain(flx_results_t *FLX_NONNULL results);
/** Releases results. Any thread. */
FLX_API void flx_results_release(flx_results_t *FLX_NULLABLE results);

/** The class of the objects. */
FLX_API flx_class_key_t flx_results_class(const flx_results_t *FLX_NONNULL results);

/** The predicate as canonical text, without sort, distinct and limit. Borrowed from the results. */
FLX_API flx_string_t flx_results_predicate(flx_results_t *FLX_NONNULL results);

/** The current number of objects. */
FLX_API flx_status_t flx_results_count(flx_results_t *FLX_NONNULL results, size_t *FLX_NONNULL out_count,
                                       flx_error_t *FLX_NULLABLE error);

/** The aggregates that `flx_results_aggregate` computes. */
typedef enum FLX_ENUM flx_aggregate FLX_INT32 {
  /** The smallest value: of numbers, timestamps and mixed. */
  FLX_AGGREGATE_MIN = 1,
  /** The greatest value: of numbers, timestamps and mixed. */
  FLX_AGGREGATE_MAX = 2,
  /** The sum of numbers: an int for ints, which wraps around, a decimal for decimals and mixed, otherwise a double. */
  FLX_AGGREGATE_SUM = 3,
  /** The average of numbers: a decimal for decimals and mixed, otherwise a double. */
  FLX_AGGREGATE_AVERAGE = 4,
  /** The number of values of any type that are not null. */
  FLX_AGGREGATE_COUNT = 5
} flx_aggregate_t;

/**
 * Computes an aggregate of a property over all objects in the results. Nulls are skipped. If there are no values,
 * minimum, maximum and average are null, and sum and count are 0.
 *
 * @param out_value text and bytes are borrowed until the next call on the results or until they are released.
 * Errors: NO_SUCH_PROPERTY, TYPE_MISMATCH for a collection or a type that the aggregate does not support,
 * INVALID_ARGUMENT for an aggregate that does not exist.
 */
FLX_API flx_status_t flx_results_aggregate(flx_results_t *FLX_NONNULL results, flx_aggregate_t aggregate,
                                           flx_property_key_t property, flx_value_t *FLX_NONNULL out_value,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Describes how the results are found: the SQL statement, followed by the steps of SQLite's query plan, one per line.
 * "SEARCH … USING INDEX" uses an index, "SCAN" visits all objects. For performance tuning; the text may change.
 *
 * @param out_text borrowed until the next call on the results or until they are released.
 */
FLX_API flx_status_t flx_results_explain(flx_results_t *FLX_NONNULL results, flx_string_t *FLX_NONNULL out_text,
                                         flx_error_t *FLX_NULLABLE error);

/**
 * Gets the object at an index. A loop over all objects may end with INDEX_OUT_OF_BOUNDS; counting the objects first can
 * take as long as reading them. Errors: INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_results_get_object(flx_results_t *FLX_NONNULL results, size_t index,
                                            flx_object_t *FLX_NULLABLE *FLX_NONNULL out_object,
                                            flx_error_t *FLX_NULLABLE error);

/**
 * Reads properties of many objects at once, without handles: those from `index` on, in the order of the results. It is
 * fastest for reading all objects, if each call continues where the last one on the same results and with the same
 * properties ended, with nothing written and no refresh in between.
 *
 * ```c
 * flx_status_t status;
 * for (size_t index = 0, count;
 *      !(status = flx_results_read(results, index, 1024, columns, 3, &count, &error)) && count; index += count) {
 *   // use `count` rows of the columns
 * }
 * if (status) fprintf(stderr, "%s\n", error.message);
 * ```
 *
 * @param row_capacity the number of rows for which all columns have space, at least 1.
 * @param columns what to read, at least one column. All have the same `struct_size`.
 * @param out_count the number of rows written. It is less than `row_capacity` at the end of the results, and if the
 *   text or bytes of the next object do not fit into a column. It is 0 if `index` is the end of the results, and after
 *   an error; the contents of the columns are then undefined.
 * Errors: INDEX_OUT_OF_BOUNDS for an index beyond the end; VALUE_TOO_LARGE if not even one object fits, so that the
 * caller must provide more bytes; NO_SUCH_PROPERTY; TYPE_MISMATCH for a collection, or if a column's type is not that
 * of its property; INVALID_ARGUMENT for no columns, missing memory, a wrong `struct_size`, or a `row_capacity` of 0 or
 * of 2^63 and more.
 */
FLX_API flx_status_t flx_results_read(flx_results_t *FLX_NONNULL results, size_t index, size_t row_capacity,
                                      const flx_column_t *FLX_NONNULL columns, size_t column_count,
                                      size_t *FLX_NONNULL out_count, flx_error_t *FLX_NULLABLE error);

/** Finds the index of an object; `SIZE_MAX` if it is not among the results. */
FLX_API flx_status_t flx_results_index_of(flx_results_t *FLX_NONNULL results, const flx_object_t *FLX_NONNULL object,
                                          size_t *FLX_NONNULL out_index, flx_error_t *FLX_NULLABLE error);

/** Deletes all objects of the results. Errors: as `flx_object_delete`. */
FLX_API flx_status_t flx_results_delete_all(flx_results_t *FLX_NONNULL results, flx_error_t *FLX_NULLABLE error);

/** Observes results until the token is released. The first call is made during the next refresh, begin or commit. */
FLX_API flx_status_t flx_results_observe(flx_results_t *FLX_NONNULL results, flx_collection_observer_t FLX_NONNULL callback,
                                         void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                         flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                         flx_error_t *FLX_NULLABLE error);

/** Observes results, like `flx_list_observe_key_paths` (collection.h). Errors: NO_SUCH_PROPERTY, NO_SUCH_CLASS. */
FLX_API flx_status_t flx_results_observe_key_paths(
    flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NULLABLE key_paths, size_t key_path_count,
    flx_collection_observer_t FLX_NONNULL callback, void *FLX_NULLABLE userdata,
    flx_free_userdata_t FLX_NULLABLE free_userdata, flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
    flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
