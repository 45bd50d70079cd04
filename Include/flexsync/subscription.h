/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Subscription sets. Functions are called on the thread of the realm; the comment of each callback names its
 * own.
 */
#ifndef FLEXSYNC_SUBSCRIPTION_H
#define FLEXSYNC_SUBSCRIPTION_H

#include "query.h"

FLX_BEGIN_DECLS

/** The state of a subscription set. Protocol §4.2. */
typedef enum FLX_ENUM flx_subscription_state FLX_INT32 {
  /** Committed on the device; the server has not answered yet. */
  FLX_SUBSCRIPTION_PENDING = 1,
  /** The data is being downloaded. */
  FLX_SUBSCRIPTION_BOOTSTRAPPING = 2,
  /** The data that matched when the server processed the set is on the device. */
  FLX_SUBSCRIPTION_COMPLETE = 3,
  /** The server rejected the set; the previous set stays in force. */
  FLX_SUBSCRIPTION_ERROR = 4,
  /** A newer set took its place. */
  FLX_SUBSCRIPTION_SUPERSEDED = 5,
  /** The data is on the device; the server's confirmation is outstanding. */
  FLX_SUBSCRIPTION_AWAITING_MARK = 6,
} flx_subscription_state_t;

/** One subscription. Text is borrowed from the set. */
typedef struct flx_subscription {
  flx_object_id_t id;
  /** False for an unnamed subscription; an empty name is still a name. */
  bool has_name;
  flx_string_t name;
  flx_string_t class_name;
  /** The query as canonical text. */
  flx_string_t query;
  flx_timestamp_t created_at;
  flx_timestamp_t updated_at;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_subscription_t;

/**
 * Gets the newest committed subscription set of a realm, as a snapshot that does not change.
 *
 * Errors: NOT_SYNCED ("This Realm was not configured with flexible sync").
 */
FLX_API flx_status_t flx_subscription_set_get_latest(flx_realm_t *FLX_NONNULL realm,
                                                     flx_subscription_set_t *FLX_NULLABLE *FLX_NONNULL out_set,
                                                     flx_error_t *FLX_NULLABLE error);

/**
 * Gets the set whose data is on the device: the newest that is complete or awaiting its mark, or the empty set of
 * version 0.
 */
FLX_API flx_status_t flx_subscription_set_get_active(flx_realm_t *FLX_NONNULL realm,
                                                     flx_subscription_set_t *FLX_NULLABLE *FLX_NONNULL out_set,
                                                     flx_error_t *FLX_NULLABLE error);
/** Retains a subscription set. Thread: the realm's. */
FLX_API flx_subscription_set_t *FLX_NONNULL flx_subscription_set_retain(flx_subscription_set_t *FLX_NONNULL set);
/** Releases a subscription set. Any thread. */
FLX_API void flx_subscription_set_release(flx_subscription_set_t *FLX_NULLABLE set);

/** The version of the set: 0 for the empty set that each file begins with, and one more for each commit. */
FLX_API int64_t flx_subscription_set_version(const flx_subscription_set_t *FLX_NONNULL set);

/** Updates the state and error message of this version of the set; its subscriptions do not change. */
FLX_API flx_status_t flx_subscription_set_refresh(flx_subscription_set_t *FLX_NONNULL set, flx_error_t *FLX_NULLABLE error);

/** The state as of the last refresh. */
FLX_API flx_subscription_state_t flx_subscription_set_state(const flx_subscription_set_t *FLX_NONNULL set);

/** The server's message if the state is ERROR; otherwise empty. Borrowed from the set. */
FLX_API flx_string_t flx_subscription_set_error_message(const flx_subscription_set_t *FLX_NONNULL set);

/** The number of subscriptions in the set. */
FLX_API size_t flx_subscription_set_count(const flx_subscription_set_t *FLX_NONNULL set);

/** Gets the subscription at a position, in the order of insertion. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_subscription_set_at(const flx_subscription_set_t *FLX_NONNULL set, size_t index,
                                             flx_subscription_t *FLX_NONNULL out_subscription,
                                             flx_error_t *FLX_NULLABLE error);

/** Finds a subscription by name; returns false if there is none. Unnamed subscriptions never match. */
FLX_API bool flx_subscription_set_find_named(const flx_subscription_set_t *FLX_NONNULL set, flx_string_t name,
                                             flx_subscription_t *FLX_NONNULL out_subscription);

/**
 * Finds the first subscription with the class and query of `results`, named or not; `*out_found` says whether there
 * is one. Sort, distinct and limit are ignored.
 */
FLX_API flx_status_t flx_subscription_set_find_results(const flx_subscription_set_t *FLX_NONNULL set,
                                                       flx_results_t *FLX_NONNULL results,
                                                       flx_subscription_t *FLX_NONNULL out_subscription,
                                                       bool *FLX_NONNULL out_found, flx_error_t *FLX_NULLABLE error);

/**
 * Begins an update of the newest set. It lives until `_commit` or `_cancel`, which also release it.
 *
 * Errors: NOT_SYNCED, SUBSCRIPTION_UPDATE_OPEN.
 */
FLX_API flx_status_t flx_subscription_update_begin(flx_realm_t *FLX_NONNULL realm,
                                                   flx_subscription_update_t *FLX_NULLABLE *FLX_NONNULL out_update,
                                                   flx_error_t *FLX_NULLABLE error);

/** Determines how `flx_subscription_update_add` handles a name that is already taken. */
typedef enum FLX_ENUM flx_name_conflict FLX_INT32 {
  /** Fail with SUBSCRIPTION_EXISTS, even if the query is the same. */
  FLX_NAME_CONFLICT_FAIL = 0,
  /** Give the subscription the new class and query; its id and creation time are kept. */
  FLX_NAME_CONFLICT_REPLACE = 1,
} flx_name_conflict_t;

/**
 * Adds a subscription to the class and query of `results`. An unnamed subscription is not added if there already is
 * an unnamed one with the same class and query. SORT and DISTINCT of the results are no part of the query.
 *
 * @param name NULL for an unnamed subscription.
 * Errors: SUBSCRIPTION_EXISTS with FLX_NAME_CONFLICT_FAIL, INVALID_ARGUMENT for a class that cannot be subscribed to,
 * QUERY_INVALID for a query that no server accepts (see `flx_query_validate_for_sync`), such as one with `[d]`, and for
 * results with a LIMIT, because the server would send everything that the condition matches; OBJECT_INVALIDATED once the
 * realm is closed.
 */
FLX_API flx_status_t flx_subscription_update_add(flx_subscription_update_t *FLX_NONNULL update,
                                                 flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NULLABLE name,
                                                 flx_name_conflict_t on_conflict, flx_error_t *FLX_NULLABLE error);

/**
 * Changes the query of a subscription to that of `results`. Its name, id and creation time are kept.
 *
 * Errors: SUBSCRIPTION_NOT_FOUND ("Cannot update a non-existent subscription."), SUBSCRIPTION_CLASS_MISMATCH
 * ("Updating a subscription query of a different Object Type is not allowed."), QUERY_INVALID as
 * `flx_subscription_update_add`.
 */
FLX_API flx_status_t flx_subscription_update_set_query(flx_subscription_update_t *FLX_NONNULL update,
                                                       const flx_object_id_t *FLX_NONNULL id,
                                                       flx_results_t *FLX_NONNULL results,
                                                       flx_error_t *FLX_NULLABLE error);

/** Removes a subscription by id. Returns whether there was one. */
FLX_API bool flx_subscription_update_remove(flx_subscription_update_t *FLX_NONNULL update,
                                            const flx_object_id_t *FLX_NONNULL id);

/** Removes a subscription by name. Returns whether there was one. */
FLX_API bool flx_subscription_update_remove_named(flx_subscription_update_t *FLX_NONNULL update, flx_string_t name);

/** Removes the first subscription with the class and query of `results`. `*out_removed` says whether there was one. */
FLX_API flx_status_t flx_subscription_update_remove_results(flx_subscription_update_t *FLX_NONNULL update,
                                                            flx_results_t *FLX_NONNULL results,
                                                            bool *FLX_NONNULL out_removed,
                                                            flx_error_t *FLX_NULLABLE error);

/** Removes all subscriptions to a class. Returns how many there were. */
FLX_API size_t flx_subscription_update_remove_class(flx_subscription_update_t *FLX_NONNULL update,
                                                    flx_string_t class_name);

/** Removes all subscriptions, or all unnamed ones. Returns how many there were. */
FLX_API size_t flx_subscription_update_remove_all(flx_subscription_update_t *FLX_NONNULL update, bool unnamed_only);

/** The number of subscriptions in the update. */
FLX_API size_t flx_subscription_update_count(const flx_subscription_update_t *FLX_NONNULL update);

/**
 * Gets the subscription at a position in the update. Text is borrowed until the next change. Errors:
 * INDEX_OUT_OF_BOUNDS.
 */
FLX_API flx_status_t flx_subscription_update_at(const flx_subscription_update_t *FLX_NONNULL update, size_t index,
                                                flx_subscription_t *FLX_NONNULL out_subscription,
                                                flx_error_t *FLX_NULLABLE error);

/**
 * Commits the update as a new version, even if nothing changed, and releases it, even on failure, except with
 * WRONG_THREAD. Once this returns success, the set is on disk; it is sent to the server in the background.
 *
 * If another handle has committed a set in the meantime, the changes are reapplied to that set.
 *
 * @param out_set the new set, to be released; may be NULL.
 * Errors: IO, DISK_FULL, BUSY, IN_WRITE_TRANSACTION if the realm is in one, and the errors of the changes if they
 * cannot be reapplied.
 */
FLX_API flx_status_t flx_subscription_update_commit(flx_subscription_update_t *FLX_NONNULL update,
                                                    flx_subscription_set_t *FLX_NULLABLE *FLX_NULLABLE out_set,
                                                    flx_error_t *FLX_NULLABLE error);

/** Discards the update and releases it. Accepts NULL. Any thread. */
FLX_API void flx_subscription_update_cancel(flx_subscription_update_t *FLX_NULLABLE update);

/**
 * Waits in the background until the set is complete.
 *
 * @param timeout_ms 0 waits indefinitely.
 * Errors: SUBSCRIPTION_FAILED with the server's message, SUBSCRIPTION_SUPERSEDED, TIMED_OUT ("Waiting for update
 * timed out after X.X seconds."), SESSION_INACTIVE as `flx_session_wait`.
 */
FLX_API void flx_subscription_set_wait(const flx_subscription_set_t *FLX_NONNULL set, uint64_t timeout_ms,
                                       flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                       flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Blocking form of `flx_subscription_set_wait`, which then refreshes the set. Must not be called on the loop thread.
 */
FLX_API flx_status_t flx_subscription_set_wait_blocking(flx_subscription_set_t *FLX_NONNULL set, uint64_t timeout_ms,
                                                        flx_error_t *FLX_NULLABLE error);

/** Called with each state that the set reaches, beginning with the current one. Thread: the loop thread. */
typedef void (*flx_subscription_state_callback_t)(void *FLX_NULLABLE userdata, flx_subscription_state_t state);

/** Observes the state of a set until the token is released. */
FLX_API flx_status_t flx_subscription_set_observe(const flx_subscription_set_t *FLX_NONNULL set,
                                                  flx_subscription_state_callback_t FLX_NONNULL callback,
                                                  void *FLX_NULLABLE userdata,
                                                  flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                  flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                  flx_error_t *FLX_NULLABLE error);

/** Determines when `flx_results_subscribe` waits. */
typedef enum FLX_ENUM flx_wait_for_sync FLX_INT32 {
  /** If the subscription is new or its query has changed. */
  FLX_WAIT_ON_CREATION = 0,
  /** Always, until the server's current data is on the device. */
  FLX_WAIT_ALWAYS = 1,
  FLX_WAIT_NEVER = 2,
} flx_wait_for_sync_t;

/**
 * Subscribes to the class and query of `results`; a subscription with the same name is replaced. Once this returns
 * success, the subscription is committed; `completion` is called when the wait is over.
 *
 * @param name NULL for an unnamed subscription.
 * @param timeout_ms 0 waits indefinitely. After a timeout the subscription is kept.
 * Errors: NOT_SYNCED, INVALID_ARGUMENT, IO; in `completion` those of `flx_subscription_set_wait`.
 */
FLX_API flx_status_t flx_results_subscribe(flx_results_t *FLX_NONNULL results, const flx_string_t *FLX_NULLABLE name,
                                           flx_wait_for_sync_t wait, uint64_t timeout_ms,
                                           flx_completion_t FLX_NULLABLE completion, void *FLX_NULLABLE userdata,
                                           flx_free_userdata_t FLX_NULLABLE free_userdata,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Removes the subscription that these results made or, if there is none, an unnamed one with the same query;
 * otherwise does nothing.
 * Errors: NOT_SYNCED, IO.
 */
FLX_API flx_status_t flx_results_unsubscribe(flx_results_t *FLX_NONNULL results, flx_error_t *FLX_NULLABLE error);

/**
 * The form of `flx_results_unsubscribe` that tells when it has taken effect. Once this returns success, the set without
 * the subscription is committed; `completion` is called when the objects that no other subscription brings have left
 * the device, at once if there was nothing to remove.
 *
 * @param timeout_ms 0 waits indefinitely. After a timeout the subscription is removed all the same.
 * Errors: NOT_SYNCED, IO; in `completion` those of `flx_subscription_set_wait`.
 */
FLX_API flx_status_t flx_results_unsubscribe_and_wait(flx_results_t *FLX_NONNULL results, uint64_t timeout_ms,
                                                      flx_completion_t FLX_NONNULL completion,
                                                      void *FLX_NULLABLE userdata,
                                                      flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                      flx_error_t *FLX_NULLABLE error);

/**
 * Tells whether the data that the realm shows has every object that matches the class and query of `results` on the
 * server and that the user may read, as of a version of the server. Sort, distinct and limit are ignored.
 *
 * That is so if the subscriptions whose data is on the device cover the query. A subscription covers it if it has the same
 * query, or some of the conditions that the query joins by AND and no others. A query that joins alternatives by OR is
 * covered if each alternative is. A query that the subscriptions cover for another reason, such as `n > 5` by `n > 3`,
 * counts as not covered. To know that the data is up to date, wait for the
 * session (`flx_session_wait`), refresh the realm, and ask again.
 *
 * @param out_server_version the version of what the server sends to this file, up to which the data shows it: the
 * numbers of two devices cannot be compared. 0 if the data may be incomplete. May be NULL.
 * Protocol §5.1. Errors: NOT_SYNCED, OBJECT_INVALIDATED, IO, INVALID_ARGUMENT for results that cannot be subscribed to.
 */
FLX_API flx_status_t flx_results_get_completeness(flx_results_t *FLX_NONNULL results,
                                                  bool *FLX_NONNULL out_is_complete,
                                                  uint64_t *FLX_NULLABLE out_server_version,
                                                  flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
