/* SPDX-License-Identifier: Apache-2.0 */
/** @file Subscription sets. Everything here happens on the thread of the realm, except callbacks. */
#ifndef FLEXSYNC_SUBSCRIPTION_H
#define FLEXSYNC_SUBSCRIPTION_H

#include "query.h"

FLX_BEGIN_DECLS

/** Where a subscription set is on its way. Protocol §4.2. */
typedef enum FLX_ENUM flx_subscription_state {
  /** Committed on the device; the server has not answered yet. */
  FLX_SUBSCRIPTION_PENDING = 1,
  /** The data is on its way. */
  FLX_SUBSCRIPTION_BOOTSTRAPPING = 2,
  /** The data that matched when the server saw the set is on the device. */
  FLX_SUBSCRIPTION_COMPLETE = 3,
  /** The server rejected the set; the set before stays in force. */
  FLX_SUBSCRIPTION_ERROR = 4,
  /** A newer set took its place. */
  FLX_SUBSCRIPTION_SUPERSEDED = 5,
  /** The data is on the device; the server's confirmation is due. */
  FLX_SUBSCRIPTION_AWAITING_MARK = 6,
} flx_subscription_state_t;

/** One subscription. Text is borrowed from the set. */
typedef struct flx_subscription {
  flx_object_id_t id;
  /** False for an unnamed subscription; an empty name is a name. */
  bool has_name;
  flx_string_t name;
  flx_string_t class_name;
  /** The query as canonical text. */
  flx_string_t query;
  flx_timestamp_t created_at;
  flx_timestamp_t updated_at;
} flx_subscription_t;

/**
 * The newest committed subscription set of a realm, as a snapshot that does not change.
 *
 * Errors: NOT_SYNCED ("This Realm was not configured with flexible sync").
 */
FLX_API flx_status_t flx_subscription_set_get_latest(flx_realm_t *FLX_NONNULL realm,
                                                     flx_subscription_set_t *FLX_NULLABLE *FLX_NONNULL out_set,
                                                     flx_error_t *FLX_NULLABLE error);

/** The set whose data is on the device: the newest that is complete or awaits its mark, or the empty set of version 0. */
FLX_API flx_status_t flx_subscription_set_get_active(flx_realm_t *FLX_NONNULL realm,
                                                     flx_subscription_set_t *FLX_NULLABLE *FLX_NONNULL out_set,
                                                     flx_error_t *FLX_NULLABLE error);
FLX_API void flx_subscription_set_release(flx_subscription_set_t *FLX_NULLABLE set);

/** The version: 0 for the empty set that each file begins with, then one more for each commit. */
FLX_API int64_t flx_subscription_set_version(const flx_subscription_set_t *FLX_NONNULL set);

/** Brings state and error text of this version up to date; its subscriptions do not change. */
FLX_API flx_status_t flx_subscription_set_refresh(flx_subscription_set_t *FLX_NONNULL set, flx_error_t *FLX_NULLABLE error);

/** The state as of the last refresh. */
FLX_API flx_subscription_state_t flx_subscription_set_state(const flx_subscription_set_t *FLX_NONNULL set);

/** The server's words if the state is ERROR; else empty. Borrowed from the set. */
FLX_API flx_string_t flx_subscription_set_error_message(const flx_subscription_set_t *FLX_NONNULL set);

/** The number of subscriptions in the set. */
FLX_API size_t flx_subscription_set_count(const flx_subscription_set_t *FLX_NONNULL set);

/** A subscription by position, in the order of insertion. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_subscription_set_at(const flx_subscription_set_t *FLX_NONNULL set, size_t index,
                                             flx_subscription_t *FLX_NONNULL out_subscription,
                                             flx_error_t *FLX_NULLABLE error);

/** Finds by name; returns false if there is none. Unnamed subscriptions never match. */
FLX_API bool flx_subscription_set_find_named(const flx_subscription_set_t *FLX_NONNULL set, flx_string_t name,
                                             flx_subscription_t *FLX_NONNULL out_subscription);

/**
 * Finds the first subscription with the class and query of `results`, named or not; `*out_found` says whether there
 * is one. Sort, distinct and limit do not count.
 */
FLX_API flx_status_t flx_subscription_set_find_results(const flx_subscription_set_t *FLX_NONNULL set,
                                                       flx_results_t *FLX_NONNULL results,
                                                       flx_subscription_t *FLX_NONNULL out_subscription,
                                                       bool *FLX_NONNULL out_found, flx_error_t *FLX_NULLABLE error);

/**
 * Opens an update of the newest set. It lives until `_commit` or `_cancel`, which also release it.
 *
 * Errors: NOT_SYNCED, SUBSCRIPTION_UPDATE_OPEN.
 */
FLX_API flx_status_t flx_subscription_update_begin(flx_realm_t *FLX_NONNULL realm,
                                                   flx_subscription_update_t *FLX_NULLABLE *FLX_NONNULL out_update,
                                                   flx_error_t *FLX_NULLABLE error);

/** What `flx_subscription_update_add` does if the name is taken by another query. */
typedef enum FLX_ENUM flx_name_conflict {
  /** Fail with SUBSCRIPTION_EXISTS, also if the query is the same. */
  FLX_NAME_CONFLICT_FAIL = 0,
  /** Give the subscription the new class and query; its id and creation time stay. */
  FLX_NAME_CONFLICT_REPLACE = 1,
} flx_name_conflict_t;

/**
 * Adds a subscription to the class and query of `results`. An unnamed one whose query is there already is not added.
 *
 * @param name NULL for an unnamed subscription.
 * Errors: SUBSCRIPTION_EXISTS ("A subscription named 'X' already exists. If you meant to update the existing
 * subscription please use the `update` method."), INVALID_ARGUMENT for a class that cannot be subscribed to,
 * QUERY_INVALID for a query that no server accepts, as `flx_query_validate_for_sync` says, OBJECT_INVALIDATED once the
 * realm is closed.
 */
FLX_API flx_status_t flx_subscription_update_add(flx_subscription_update_t *FLX_NONNULL update,
                                                 flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NULLABLE name,
                                                 flx_name_conflict_t on_conflict, flx_error_t *FLX_NULLABLE error);

/**
 * Gives a subscription the query of `results`. Name, id and creation time stay.
 *
 * Errors: SUBSCRIPTION_NOT_FOUND ("Cannot update a non-existent subscription."), SUBSCRIPTION_CLASS_MISMATCH ("Updating
 * a subscription query of a different Object Type is not allowed."), QUERY_INVALID as `flx_subscription_update_add`.
 */
FLX_API flx_status_t flx_subscription_update_set_query(flx_subscription_update_t *FLX_NONNULL update,
                                                       const flx_object_id_t *FLX_NONNULL id,
                                                       flx_results_t *FLX_NONNULL results,
                                                       flx_error_t *FLX_NULLABLE error);

/** Removes by id. Returns whether there was one. */
FLX_API bool flx_subscription_update_remove(flx_subscription_update_t *FLX_NONNULL update,
                                            const flx_object_id_t *FLX_NONNULL id);

/** Removes by name. Returns whether there was one. */
FLX_API bool flx_subscription_update_remove_named(flx_subscription_update_t *FLX_NONNULL update, flx_string_t name);

/** Removes the first subscription with the class and query of `results`. `*out_removed` says whether there was one. */
FLX_API flx_status_t flx_subscription_update_remove_results(flx_subscription_update_t *FLX_NONNULL update,
                                                            flx_results_t *FLX_NONNULL results,
                                                            bool *FLX_NONNULL out_removed,
                                                            flx_error_t *FLX_NULLABLE error);

/** Removes all of a class. Returns how many. */
FLX_API size_t flx_subscription_update_remove_class(flx_subscription_update_t *FLX_NONNULL update,
                                                    flx_string_t class_name);

/** Removes all, or all unnamed ones. Returns how many. */
FLX_API size_t flx_subscription_update_remove_all(flx_subscription_update_t *FLX_NONNULL update, bool unnamed_only);

/** The number of subscriptions in the update. */
FLX_API size_t flx_subscription_update_count(const flx_subscription_update_t *FLX_NONNULL update);

/** A subscription of the update by position. Text is borrowed until the next change. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_subscription_update_at(const flx_subscription_update_t *FLX_NONNULL update, size_t index,
                                                flx_subscription_t *FLX_NONNULL out_subscription,
                                                flx_error_t *FLX_NULLABLE error);

/**
 * Commits the update as a new version, also if nothing changed, and releases it, also if it fails, unless with
 * WRONG_THREAD. The set is on
 * disk when this returns success; the server is told in the background.
 *
 * If another handle has committed a set meanwhile, the changes are made again on that one.
 *
 * @param out_set the new set, to be released; may be NULL.
 * Errors: IO, DISK_FULL, BUSY, IN_WRITE_TRANSACTION if the realm is in one, and those of the changes if they cannot be
 * made again.
 */
FLX_API flx_status_t flx_subscription_update_commit(flx_subscription_update_t *FLX_NONNULL update,
                                                    flx_subscription_set_t *FLX_NULLABLE *FLX_NULLABLE out_set,
                                                    flx_error_t *FLX_NULLABLE error);

/** Discards the update and releases it. Accepts NULL. Any thread. */
FLX_API void flx_subscription_update_cancel(flx_subscription_update_t *FLX_NULLABLE update);

/**
 * Waits in the background until the set is complete.
 *
 * @param timeout_ms 0 waits for ever.
 * Errors: SUBSCRIPTION_FAILED with the server's words, SUBSCRIPTION_SUPERSEDED, TIMED_OUT ("Waiting for update timed out
 * after X.X seconds."), SESSION_INACTIVE.
 */
FLX_API void flx_subscription_set_wait(const flx_subscription_set_t *FLX_NONNULL set, uint64_t timeout_ms,
                                       flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                       flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_subscription_set_wait` that blocks; then refreshes the set. Not to be called on the loop thread. */
FLX_API flx_status_t flx_subscription_set_wait_blocking(flx_subscription_set_t *FLX_NONNULL set, uint64_t timeout_ms,
                                                        flx_error_t *FLX_NULLABLE error);

/** Called with each state that the set reaches, the present one first. Thread: the loop thread. */
typedef void (*flx_subscription_state_callback_t)(void *FLX_NULLABLE userdata, flx_subscription_state_t state);

/** Observes the state of a set until the token is released. */
FLX_API flx_status_t flx_subscription_set_observe(const flx_subscription_set_t *FLX_NONNULL set,
                                                  flx_subscription_state_callback_t FLX_NONNULL callback,
                                                  void *FLX_NULLABLE userdata,
                                                  flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                  flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                  flx_error_t *FLX_NULLABLE error);

/** When `flx_results_subscribe` waits. */
typedef enum FLX_ENUM flx_wait_for_sync {
  /** If the subscription is new or has another query than before. */
  FLX_WAIT_ON_CREATION = 0,
  /** Always, until the server's present data is on the device. */
  FLX_WAIT_ALWAYS = 1,
  FLX_WAIT_NEVER = 2,
} flx_wait_for_sync_t;

/**
 * Subscribes to the class and query of `results`; a subscription of the same name is replaced. The subscription is
 * committed when this returns success; `completion` is called when the wait is over.
 *
 * @param name NULL for an unnamed subscription.
 * @param timeout_ms 0 waits for ever. After a time-out the subscription stays.
 * Errors: NOT_SYNCED, INVALID_ARGUMENT, IO; in `completion` those of `flx_subscription_set_wait`.
 */
FLX_API flx_status_t flx_results_subscribe(flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NULLABLE name,
                                           flx_wait_for_sync_t wait, uint64_t timeout_ms,
                                           flx_completion_t FLX_NULLABLE completion, void *FLX_NULLABLE userdata,
                                           flx_free_userdata_t FLX_NULLABLE free_userdata,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Removes the subscription that these results made, else an unnamed one with the same query; else does nothing.
 * Errors: NOT_SYNCED, IO.
 */
FLX_API flx_status_t flx_results_unsubscribe(flx_results_t *FLX_NONNULL results, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
