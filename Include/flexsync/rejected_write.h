/* SPDX-License-Identifier: Apache-2.0 */
/** @file Rejected writes: changes that the server did not accept, kept until the program resubmits or discards them. */
#ifndef FLEXSYNC_REJECTED_WRITE_H
#define FLEXSYNC_REJECTED_WRITE_H

#include "collection.h"

FLX_BEGIN_DECLS

/*
 * A write transaction succeeds on the device; when it is uploaded, the server judges it object by object. It reverts
 * what it rejects (protocol §8): the object returns to its state on the server. Once that is done, the app's error
 * handler is called once with WRITE_REJECTED, and the file keeps the rejected changes to the object: those of the
 * rejected transaction, and those made to the object since, which are reverted as well.
 *
 * The same happens to changes that had not reached the server when it erased their object on the device, because the
 * subscriptions or the permissions changed, or when it replaced the object with its own version: both sides then drop
 * the changes, and the error has the protocol code 0. Unsent changes to an object are also lost if another user changes
 * it such that it leaves the subscribed query; the server reports this when they arrive. Only when another user deletes
 * the object are they dropped silently, as everywhere: deletion wins (protocol §7.5).
 *
 * Rejected writes are stored in the same transaction that reverts the changes, so nothing that happens to the process
 * can separate the two. They survive a client reset, including those that were resubmitted and are still unanswered; in
 * a manual reset they stay in the backup. When there are too many, the oldest are dropped: see
 * `flx_realm_config_t.rejected_write_limit`.
 */

/** A snapshot of the rejected writes of a realm. */
typedef struct flx_rejected_writes flx_rejected_writes_t;

/** The state of a rejected write. */
typedef enum FLX_ENUM flx_rejected_write_state FLX_INT32 {
  /** Waiting to be resubmitted or discarded. */
  FLX_REJECTED_WRITE_KEPT = 0,
  /**
   * Resubmitted. Once the server accepts it, it is no longer listed; if the server rejects it again, it becomes KEPT.
   */
  FLX_REJECTED_WRITE_RESUBMITTED = 1,
} flx_rejected_write_state_t;

/** A change to one object that the server did not accept. */
typedef struct flx_rejected_write {
  /** Identifies the write in its file; never reused. */
  int64_t id;
  flx_string_t class_name;
  flx_value_t primary_key;
  /** The reason given by the server. */
  flx_string_t reason;
  flx_rejected_write_state_t state;
  /** The time of the write, by this device's clock. */
  flx_timestamp_t written_at;
  /** The time at which it was reverted, by the server's clock. */
  flx_timestamp_t rejected_at;
  /** False if the history no longer had the changes when the server rejected them; the write cannot be resubmitted. */
  bool has_changes;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_rejected_write_t;

/**
 * Gets the rejected writes of a synced realm, oldest first: as seen by the open write transaction of this handle, if
 * there is one, otherwise the newest. Errors: NOT_SYNCED, IO.
 */
FLX_API flx_status_t flx_rejected_writes_get(flx_realm_t *FLX_NONNULL realm,
                                             flx_rejected_writes_t *FLX_NULLABLE *FLX_NONNULL out_writes,
                                             flx_error_t *FLX_NULLABLE error);
/** Retains a snapshot of rejected writes. Thread: the realm's. */
FLX_API flx_rejected_writes_t *FLX_NONNULL flx_rejected_writes_retain(flx_rejected_writes_t *FLX_NONNULL writes);
/** Releases a snapshot of rejected writes. Any thread. */
FLX_API void flx_rejected_writes_release(flx_rejected_writes_t *FLX_NULLABLE writes);

/** The number of rejected writes in the list. */
FLX_API size_t flx_rejected_writes_count(const flx_rejected_writes_t *FLX_NONNULL writes);

/** Gets the rejected write at a position; its texts are borrowed from `writes`. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_rejected_writes_at(const flx_rejected_writes_t *FLX_NONNULL writes, size_t index,
                                            flx_rejected_write_t *FLX_NONNULL out_write,
                                            flx_error_t *FLX_NULLABLE error);

/**
 * Observes the rejected writes of a synced realm until the token is released. The callback receives their indexes in
 * the list that `flx_rejected_writes_get` returns: as insertions, new rejected writes; as deletions, those that were
 * discarded or that the server has accepted; as modifications, those that were resubmitted or rejected again.
 *
 * The first call is made during the next refresh, begin or commit, and the others within `flx_realm_refresh`,
 * `flx_realm_begin_write` and `flx_realm_commit_write`, on the thread of the realm; the callback of
 * `flx_realm_set_changed_callback` indicates when to refresh. Errors: NOT_SYNCED, OBJECT_INVALIDATED for a closed
 * realm.
 */
FLX_API flx_status_t flx_rejected_writes_observe(flx_realm_t *FLX_NONNULL realm,
                                                 flx_collection_observer_t FLX_NONNULL callback,
                                                 void *FLX_NULLABLE userdata,
                                                 flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                 flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Applies a rejected write again, as part of the open write transaction, to the object in its present state; an
 * object that the write created is created again. Changes that no longer have a place are left out: elements of a
 * list whose length has changed, entries of collections that no longer exist. The transaction may change the object
 * further, to make the write acceptable to the server. To look at what was written without writing it again, resubmit
 * it and cancel the transaction.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, NOT_SYNCED, NO_SUBSCRIPTION_FOR_WRITE; INVALID_ARGUMENT if there is no such
 * write, or it has already been resubmitted; OBJECT_INVALIDATED if none of it has a place any longer. On failure,
 * nothing has been changed.
 */
FLX_API flx_status_t flx_rejected_write_resubmit(flx_realm_t *FLX_NONNULL realm, int64_t id,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Discards a rejected write: as part of the open write transaction, or at once if there is none.
 *
 * @param out_discarded false if there was no write with that id; may be NULL.
 * Errors: NOT_SYNCED, BUSY, IO.
 */
FLX_API flx_status_t flx_rejected_write_discard(flx_realm_t *FLX_NONNULL realm, int64_t id,
                                                bool *FLX_NULLABLE out_discarded, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
