/* SPDX-License-Identifier: Apache-2.0 */
/** @file Realms: opening, transactions, refreshing, notifications. */
#ifndef FLEXSYNC_REALM_H
#define FLEXSYNC_REALM_H

#include "app.h"
#include "schema.h"

FLX_BEGIN_DECLS

/**
 * Fills the first subscription set. Called with an open update: add to it, do not commit or cancel it.
 * Thread: the one that opens the realm; the loop thread for `flx_realm_open_async`. Other threads that open the same file
 * meanwhile wait until it returns.
 */
typedef void (*flx_initial_subscriptions_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL realm,
                                            flx_subscription_update_t *FLX_NONNULL update);

/**
 * What to do when the server demands a client reset, because it cannot go on with the file: the device was away for too
 * long, or the server was restored from a backup. Protocol §9.
 *
 * In all modes but the manual one, a fresh copy is downloaded and takes the place of the file in one write: realms and
 * objects stay valid, and observers learn what has changed. A reset that is interrupted, be it by the end of the
 * process, begins again by itself. One that is impossible is reported with CLIENT_RESET_FAILED and left to the program,
 * as in the manual mode.
 */
typedef enum FLX_ENUM flx_client_reset_mode {
  /**
   * Report CLIENT_RESET; the session ends. When the realm is opened again, or `flx_session_perform_client_reset` is called,
   * the file is backed up and deleted, and what the server has is downloaded anew.
   */
  FLX_CLIENT_RESET_MANUAL = 0,
  /** Changes and subscriptions that the server had not acknowledged are gone. */
  FLX_CLIENT_RESET_DISCARD_UNSYNCED = 1,
  /**
   * Changes that the server had not acknowledged are applied to the fresh copy and uploaded. What has no place in it any
   * more is left out. A list in which they touched elements that were not theirs becomes as a whole what it was on the
   * device. Fails if the server forbids it.
   */
  FLX_CLIENT_RESET_RECOVER_UNSYNCED = 2,
  /** Recover; discard if that fails. */
  FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED = 3,
} flx_client_reset_mode_t;

/**
 * Called before a client reset changes anything, when the fresh copy is there. `before` is borrowed: it holds what
 * the device has now, and cannot be written or refreshed. Thread: the loop thread.
 */
typedef void (*flx_before_client_reset_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL before);

/**
 * Called after a client reset. Both realms are borrowed: `before` holds what the device had, and cannot be written or
 * refreshed; `after` holds what it has now. `did_recover` is false if changes were discarded. Thread: the loop thread.
 */
typedef void (*flx_after_client_reset_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL before,
                                         flx_realm_t *FLX_NONNULL after, bool did_recover);

typedef struct flx_sync_error flx_sync_error_t;

/** Called for a client reset that is left to the program. Both are borrowed. Thread: the loop thread. */
typedef void (*flx_client_reset_error_t)(void *FLX_NULLABLE userdata, flx_session_t *FLX_NONNULL session,
                                         const flx_sync_error_t *FLX_NONNULL error);

/**
 * Configuration of a realm. Zero all of it, then set `struct_size` and what is needed.
 *
 * The functions that open a realm take the userdata of its callbacks over, whatever becomes of the call, also if
 * `struct_size` is not set. `flx_realm_delete_files` and `flx_realm_file_exists` leave it alone.
 */
typedef struct flx_realm_config {
  /** `sizeof(flx_realm_config_t)` of the header compiled against. */
  size_t struct_size;
  /** The file. Empty: the default file of the user, `<storage>/<app id>/<user id>/flx_sync_default.realm`. */
  flx_string_t path;
  /** Not empty: keep the realm in memory under this name, shared within the process, until its last handle closes. */
  flx_string_t in_memory_name;
  /** Whose data to sync; NULL opens a local realm, which needs a path or an in-memory name. */
  flx_user_t *FLX_NULLABLE user;
  const flx_class_info_t *FLX_NULLABLE classes;
  size_t class_count;
  /**
   * Called when the file is new (again, if its first opening failed or the process ended in it), or at the first open of
   * each process if `rerun_initial_subscriptions`.
   */
  flx_initial_subscriptions_t FLX_NULLABLE initial_subscriptions;
  void *FLX_NULLABLE initial_subscriptions_userdata;
  /**
   * Frees the userdata when the realm that was opened with this configuration does not need it any more, or when it
   * could not be opened; each function that opens a realm calls it once. May be NULL.
   */
  flx_free_userdata_t FLX_NULLABLE free_initial_subscriptions_userdata;
  bool rerun_initial_subscriptions;
  flx_client_reset_mode_t client_reset_mode;
  /** Open, but do not connect until `flx_session_resume`. */
  bool starts_suspended;
  /**
   * May be NULL, as the next two. A realm that is open already keeps the mode and the callbacks that it was opened with
   * first.
   */
  flx_before_client_reset_t FLX_NULLABLE before_client_reset;
  flx_after_client_reset_t FLX_NULLABLE after_client_reset;
  /** Receives CLIENT_RESET and CLIENT_RESET_FAILED in the place of the app's error handler. */
  flx_client_reset_error_t FLX_NULLABLE client_reset_error;
  void *FLX_NULLABLE client_reset_userdata;
  /** As `free_initial_subscriptions_userdata`, for `client_reset_userdata`; an open realm needs that, too. */
  flx_free_userdata_t FLX_NULLABLE free_client_reset_userdata;
  /**
   * Let `flx_realm_commit_write` fail with WRITE_REJECTED if an object that was created or changed is in none of the
   * subscriptions that are in force or wait for the server's answer: the server would take it back. A change that takes
   * an object out of them is legal. Permissions are the server's affair and are not looked at.
   */
  bool refuse_unsubscribed_objects;
  /**
   * How many rejected writes the file keeps at most (rejected_write.h); 0 means 1000. Their changes have 64 MiB at most, all
   * together. A realm that is open already keeps the limit that it was opened with first.
   */
  uint32_t rejected_write_limit;
  /**
   * Let a write transaction go on on another thread than the one that began it: for actors, serial queues and event loops
   * that use the realm from several threads, but never from two at once. Calls at once get WRONG_THREAD all the same.
   */
  bool may_change_thread_in_write;
} flx_realm_config_t;

/** When opening waits for the server. */
typedef enum FLX_ENUM flx_open_mode {
  /** Do not wait. */
  FLX_OPEN_LOCAL = 0,
  /** Wait for the first download and initial subscriptions if the file is new. */
  FLX_OPEN_DOWNLOAD_ONCE = 1,
  /** Wait for a download every time. */
  FLX_OPEN_DOWNLOAD_ALWAYS = 2,
} flx_open_mode_t;

/**
 * Opens a realm with what is on the device. With a user, syncing starts in the background; no network is needed.
 *
 * The initial subscriptions, if they run, are committed when this returns.
 * Errors: INVALID_ARGUMENT (names, types, missing primary key `_id`), UNSUPPORTED, IO, DISK_FULL, PERMISSION_DENIED,
 * NOT_A_DATABASE, CORRUPT, SCHEMA_MISMATCH, INCOMPATIBLE_FILE, MULTIPLE_SYNC_AGENTS, USER_LOGGED_OUT.
 * Thread: any; it becomes the realm's.
 */
FLX_API flx_status_t flx_realm_open(const flx_realm_config_t *FLX_NONNULL config,
                                    flx_realm_t *FLX_NULLABLE *FLX_NONNULL out_realm, flx_error_t *FLX_NULLABLE error);

/**
 * Waits in the background until a realm of this configuration holds the data that `mode` asks for; after a success
 * `flx_realm_open` with the same configuration finds it on the device.
 *
 * @param timeout_ms 0 waits for ever.
 * Errors: those of `flx_realm_open`, SUBSCRIPTION_FAILED, TIMED_OUT, SESSION_FAILED, CANCELED.
 */
FLX_API void flx_realm_open_async(const flx_realm_config_t *FLX_NONNULL config, flx_open_mode_t mode, uint64_t timeout_ms,
                                  flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                  flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocks until `flx_realm_open_async` is done, then opens. Not to be called on the loop thread. */
FLX_API flx_status_t flx_realm_open_blocking(const flx_realm_config_t *FLX_NONNULL config, flx_open_mode_t mode,
                                             uint64_t timeout_ms, flx_realm_t *FLX_NULLABLE *FLX_NONNULL out_realm,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Closes the realm and gives the handle back; objects and results obtained from it become invalid, and are released as
 * usual. An open write transaction is canceled, whichever thread has begun it. While another thread is in a call with the
 * realm, or with something obtained from it, this ends the process with a message.
 */
FLX_API void flx_realm_release(flx_realm_t *FLX_NULLABLE realm);

/** The path of the file. Borrowed from the realm. */
FLX_API flx_string_t flx_realm_path(const flx_realm_t *FLX_NONNULL realm);

/** Whether the realm was opened with a user. */
FLX_API bool flx_realm_is_synced(const flx_realm_t *FLX_NONNULL realm);

/** A number that grows with each change of the data that this handle sees. */
FLX_API uint64_t flx_realm_version(const flx_realm_t *FLX_NONNULL realm);

/**
 * Begins a write transaction on the newest data. It waits for other writers; notifications of what they wrote are
 * delivered within this call.
 *
 * The transaction belongs to this thread until it ends: others get WRONG_THREAD for what they do with the realm, unless
 * `flx_realm_config_t.may_change_thread_in_write`.
 * Errors: IN_WRITE_TRANSACTION, WRONG_THREAD, BUSY (after 60 s), IO.
 */
FLX_API flx_status_t flx_realm_begin_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/**
 * Commits: when this returns success, the writes survive the end of the process at any moment. They are uploaded in
 * the background. Notifications of this handle are delivered within the call.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, WRITE_REJECTED (only with `flx_realm_config_t.refuse_unsubscribed_objects`),
 * DISK_FULL, IO: then nothing of the transaction has happened.
 */
FLX_API flx_status_t flx_realm_commit_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Takes back everything since `flx_realm_begin_write`. Errors: NOT_IN_WRITE_TRANSACTION. */
FLX_API flx_status_t flx_realm_cancel_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Whether this handle has a write transaction open. */
FLX_API bool flx_realm_is_in_write(const flx_realm_t *FLX_NONNULL realm);

/**
 * Moves to the newest data and delivers notifications, also first ones that are due. It finds what other processes
 * wrote to a local realm, too, of which nothing else tells.
 *
 * @param out_changed whether the data had changed; may be NULL.
 * Errors: IO. In a write transaction it does nothing.
 */
FLX_API flx_status_t flx_realm_refresh(flx_realm_t *FLX_NONNULL realm, bool *FLX_NULLABLE out_changed,
                                       flx_error_t *FLX_NULLABLE error);

/** Called when `flx_realm_refresh` would find something to do. */
typedef void (*flx_realm_changed_t)(void *FLX_NULLABLE userdata);

/**
 * Asks to be told when newer data exists: the callback should make the realm's thread call `flx_realm_refresh`.
 * Passing NULL ends it. Thread of the callback: any; it must not use the realm.
 */
FLX_API void flx_realm_set_changed_callback(flx_realm_t *FLX_NONNULL realm, flx_realm_changed_t FLX_NULLABLE callback,
                                            void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Blocks until newer data exists or the time is over. The data is not refreshed. What other processes write to a local
 * realm does not end it. In `FLX_LOOP_POLL` it pumps the loop of a synced realm.
 *
 * @param timeout_ms 0 waits for ever.
 * @param out_changed false if the time was over.
 * Errors: INVALID_ARGUMENT for a synced realm on the loop thread.
 */
FLX_API flx_status_t flx_realm_wait_for_change(flx_realm_t *FLX_NONNULL realm, uint64_t timeout_ms,
                                               bool *FLX_NONNULL out_changed, flx_error_t *FLX_NULLABLE error);

/**
 * Deletes the files of a realm, also of one that is damaged or belongs to somebody else. `out_deleted` is false if there
 * were none.
 *
 * Errors: NOT_A_DATABASE for a file that is no realm, which stays; ALREADY_OPEN (also while objects or results of it are not released), MULTIPLE_SYNC_AGENTS, IO,
 * PERMISSION_DENIED, INVALID_ARGUMENT.
 */
FLX_API flx_status_t flx_realm_delete_files(const flx_realm_config_t *FLX_NONNULL config, bool *FLX_NONNULL out_deleted,
                                            flx_error_t *FLX_NULLABLE error);

/** Whether the file of a configuration exists. Errors: INVALID_ARGUMENT. */
FLX_API flx_status_t flx_realm_file_exists(const flx_realm_config_t *FLX_NONNULL config, bool *FLX_NONNULL out_exists,
                                           flx_error_t *FLX_NULLABLE error);

/** Called within `flx_realm_refresh` or `flx_realm_commit_write` when the data of the realm changed. */
typedef void (*flx_realm_observer_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL realm);

/** Observes any change of the realm until the token is released. */
FLX_API flx_status_t flx_realm_observe(flx_realm_t *FLX_NONNULL realm, flx_realm_observer_t FLX_NONNULL callback,
                                       void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                       flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                       flx_error_t *FLX_NULLABLE error);

/**
 * Ends the notifications of a token. After it returns, no further call of its callback begins. A call that another
 * thread has begun is not waited for and goes on: free what it uses in `free_userdata`, which comes after it.
 */
FLX_API void flx_notification_token_release(flx_notification_token_t *FLX_NULLABLE token);

FLX_END_DECLS

#endif
