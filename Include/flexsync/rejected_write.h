/* SPDX-License-Identifier: Apache-2.0 */
/** @file Rejected writes: what the server did not take, kept until the program resubmits or discards it. */
#ifndef FLEXSYNC_REJECTED_WRITE_H
#define FLEXSYNC_REJECTED_WRITE_H

#include "collection.h"

FLX_BEGIN_DECLS

/*
 * A write transaction succeeds on the device, and the server judges it when it is uploaded, object by object. What it
 * rejects it takes back (protocol §8): the object becomes what it is on the server. The app's error handler is called
 * with WRITE_REJECTED, once, when that is done, and the file keeps the rejected changes of the object: those of the
 * rejected transaction, and those that were made to it since, which are taken back as well.
 *
 * The same happens to changes that the server did not have when it erased their object on the device, because the
 * subscriptions or the permissions have changed, or replaced it by what it has: both sides drop the changes then, and the
 * error has the protocol code 0. An object that another user has changed so that it left the subscribed query takes unsent
 * changes with it, too: the server tells so when they arrive. Only an object that another user has deleted takes them
 * silently, as it does everywhere: deletion wins (protocol §7.5).
 *
 * Rejected writes are kept in the transaction that takes the changes back, so that nothing that happens to the process
 * can separate the two. They survive a client reset, also those that are resubmitted and not answered; in a manual reset
 * they stay in the backup. The oldest go when there are too many: see `flx_realm_config_t.rejected_write_limit`.
 */

/** Some rejected writes, as they were when they were asked for. */
typedef struct flx_rejected_writes flx_rejected_writes_t;

/** What has become of a rejected write. */
typedef enum FLX_ENUM flx_rejected_write_state {
  /** It waits to be resubmitted or discarded. */
  FLX_REJECTED_WRITE_KEPT = 0,
  /** It was resubmitted. When the server takes it, it is listed no more; when it rejects it again, it becomes KEPT. */
  FLX_REJECTED_WRITE_RESUBMITTED = 1,
} flx_rejected_write_state_t;

/** A change of one object that the server did not take. */
typedef struct flx_rejected_write {
  /** Identifies the write in its file; never used twice. */
  int64_t id;
  flx_string_t class_name;
  flx_value_t primary_key;
  /** The server's words. */
  flx_string_t reason;
  flx_rejected_write_state_t state;
  /** When it was written, on the clock of this device. */
  flx_timestamp_t written_at;
  /** When it was taken back, on the clock of the server. */
  flx_timestamp_t rejected_at;
  /** False if the history had forgotten what was written before the server rejected it; it cannot be resubmitted. */
  bool has_changes;
} flx_rejected_write_t;

/**
 * The rejected writes of a synced realm, oldest first: as the open write transaction of this handle sees them, otherwise
 * the newest. Errors: NOT_SYNCED, IO.
 */
FLX_API flx_status_t flx_rejected_writes_get(flx_realm_t *FLX_NONNULL realm,
                                             flx_rejected_writes_t *FLX_NULLABLE *FLX_NONNULL out_writes,
                                             flx_error_t *FLX_NULLABLE error);
FLX_API void flx_rejected_writes_release(flx_rejected_writes_t *FLX_NULLABLE writes);

/** The number of rejected writes in the list. */
FLX_API size_t flx_rejected_writes_count(const flx_rejected_writes_t *FLX_NONNULL writes);

/** A rejected write by position; its texts are borrowed from `writes`. Errors: INDEX_OUT_OF_BOUNDS. */
FLX_API flx_status_t flx_rejected_writes_at(const flx_rejected_writes_t *FLX_NONNULL writes, size_t index,
                                            flx_rejected_write_t *FLX_NONNULL out_write,
                                            flx_error_t *FLX_NULLABLE error);

/**
 * Observes the rejected writes of a synced realm until the token is released, by their indexes in what
 * `flx_rejected_writes_get` gives: those that came, also because the server rejected them, those that were discarded or
 * that the server has taken, and, as modifications, those that were resubmitted or rejected again.
 *
 * The first call comes with the next refresh or commit, the others within `flx_realm_refresh` and
 * `flx_realm_commit_write`, on the thread of the realm; the callback of `flx_realm_set_changed_callback` tells when to
 * refresh. Errors: NOT_SYNCED, OBJECT_INVALIDATED for a realm that is closed.
 */
FLX_API flx_status_t flx_rejected_writes_observe(flx_realm_t *FLX_NONNULL realm,
                                                 flx_collection_observer_t FLX_NONNULL callback,
                                                 void *FLX_NULLABLE userdata,
                                                 flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                 flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Makes a rejected write again, as a part of the open write transaction, on the object as it is now; an object that
 * the write created is created again. What has no place any more is left out: elements of a list that has another length
 * than it had, entries of what is gone. The transaction may change the object further, so that the server takes it this
 * time. A transaction that is canceled shows what was written without making it again.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, NOT_SYNCED, NO_SUBSCRIPTION_FOR_WRITE; INVALID_ARGUMENT if there is no such write, or
 * it is resubmitted already; OBJECT_INVALIDATED if nothing of it has a place any more. Then nothing has been changed.
 */
FLX_API flx_status_t flx_rejected_write_resubmit(flx_realm_t *FLX_NONNULL realm, int64_t id,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Forgets a rejected write: with the open write transaction, or at once if there is none.
 *
 * @param out_discarded false if there was none of that number; may be NULL.
 * Errors: NOT_SYNCED, BUSY, IO.
 */
FLX_API flx_status_t flx_rejected_write_discard(flx_realm_t *FLX_NONNULL realm, int64_t id,
                                                bool *FLX_NULLABLE out_discarded, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
