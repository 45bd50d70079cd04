/* SPDX-License-Identifier: Apache-2.0 */
/** @file Realms: opening, transactions, refreshing and notifications. */
#ifndef FLEXSYNC_REALM_H
#define FLEXSYNC_REALM_H

#include "app.h"
#include "migration.h"
#include "schema.h"

FLX_BEGIN_DECLS

/**
 * Fills the first subscription set. Called with an open update: add subscriptions to it, but do not commit or cancel
 * it. The realm can be read; closing it, and write transactions, fail with UNSUPPORTED until the callback returns.
 *
 * @param error to be filled in if the function fails.
 * @return OK, or the status with which opening fails; the set then stays as it was, and is filled by the next opening.
 * Thread: the one that opens the realm; for `flx_realm_open_async`, the loop thread. Other threads that open the same
 * file in the meantime wait until the callback returns.
 */
typedef flx_status_t (*flx_initial_subscriptions_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL realm,
                                                    flx_subscription_update_t *FLX_NONNULL update,
                                                    flx_error_t *FLX_NONNULL error);

/**
 * Determines how a client reset is handled. The server demands one when it cannot continue with the file, because the
 * device was away for too long or the server was restored from a backup. Protocol §9.
 *
 * In all modes but the manual one, a fresh copy is downloaded and replaces the file's contents in a single write:
 * realms and objects stay valid, and observers are notified of what has changed. A reset that is interrupted, even by
 * the end of the process, starts over by itself. One that is impossible is reported with CLIENT_RESET_FAILED and left
 * to the program, as in the manual mode.
 */
typedef enum FLX_ENUM flx_client_reset_mode FLX_INT32 {
  /**
   * Report CLIENT_RESET and end the session. When the realm is opened again, or `flx_session_perform_client_reset` is
   * called, the file is backed up and deleted, and the server's data is downloaded afresh.
   */
  FLX_CLIENT_RESET_MANUAL = 0,
  /** Discard changes and subscriptions that the server has not acknowledged. */
  FLX_CLIENT_RESET_DISCARD_UNSYNCED = 1,
  /**
   * Apply the changes that the server has not acknowledged to the fresh copy, and upload them. Changes to anything
   * that no longer exists there are left out. If they touched elements of a list that they had not inserted
   * themselves, the entire list is restored to its state on the device. Fails if the server forbids recovery.
   */
  FLX_CLIENT_RESET_RECOVER_UNSYNCED = 2,
  /** Recover, or discard if that fails. */
  FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED = 3,
} flx_client_reset_mode_t;

/**
 * Called once the fresh copy has been downloaded, before a client reset changes anything. `before` is borrowed: it
 * holds the device's present data, and cannot be written or refreshed. Thread: the loop thread.
 */
typedef void (*flx_before_client_reset_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL before);

/**
 * Called after a client reset. Both realms are borrowed: `before` holds the data that the device had, and cannot be
 * written or refreshed; `after` holds the data that it has now. `did_recover` is false if changes were discarded.
 * Thread: the loop thread.
 */
typedef void (*flx_after_client_reset_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL before,
                                         flx_realm_t *FLX_NONNULL after, bool did_recover);

/** An error of a sync session (session.h). */
typedef struct flx_sync_error flx_sync_error_t;

/** The progress of a transfer. */
typedef struct flx_progress {
  /** From 0 to 1, where 1 means done. For downloads, it is the server's estimate. */
  double estimate;
  /** The number of bytes that were transferred: for downloads, by this session. */
  uint64_t transferred_bytes;
  /** The number of bytes that were and are to be transferred, estimated for downloads. */
  uint64_t transferrable_bytes;
} flx_progress_t;

/** Called with the progress of a transfer, which is borrowed for the call. Thread: the loop thread. */
typedef void (*flx_progress_callback_t)(void *FLX_NULLABLE userdata, const flx_progress_t *FLX_NONNULL progress);

/**
 * Called for a client reset that is left to the program. `session` and `error` are borrowed. Thread: the loop thread.
 */
typedef void (*flx_client_reset_error_t)(void *FLX_NULLABLE userdata, flx_session_t *FLX_NONNULL session,
                                         const flx_sync_error_t *FLX_NONNULL error);

/**
 * Decides whether a file is compacted before it is opened. `total_bytes` is its size, and `used_bytes` the part of it
 * that holds data. Thread: the one that opens the realm.
 */
typedef bool (*flx_should_compact_t)(void *FLX_NULLABLE userdata, uint64_t total_bytes, uint64_t used_bytes);

/**
 * Configuration of a realm. Zero the entire struct, then set `struct_size` and the members that are needed.
 *
 * The functions that open a realm take ownership of the userdata of its callbacks, whether or not they succeed and
 * even if `struct_size` is not set. `flx_realm_delete_files` and `flx_realm_file_exists` leave it alone.
 */
typedef struct flx_realm_config {
  /** `sizeof(flx_realm_config_t)` in the header compiled against. */
  size_t struct_size;
  /**
   * The path of the file. Its folder must exist; a file that is missing or empty becomes a new realm. If the path is
   * empty, the user's default file, `<storage>/<app id>/<user id>/flx_sync_default.realm`.
   */
  flx_string_t path;
  /**
   * If not empty, the realm is kept in memory under this name, shared within the process, until its last handle is
   * closed.
   */
  flx_string_t in_memory_name;
  /** The user whose data to sync; NULL opens a local realm, which needs a path or an in-memory name. */
  flx_user_t *FLX_NULLABLE user;
  const flx_class_info_t *FLX_NULLABLE classes;
  size_t class_count;
  /**
   * Called when the file is new (and again if its first open failed or the process ended during it), or, with
   * `rerun_initial_subscriptions`, at the first open of each process. If several processes open a new file at once, it is
   * called in one of them, and the others wait.
   */
  flx_initial_subscriptions_t FLX_NULLABLE initial_subscriptions;
  void *FLX_NULLABLE initial_subscriptions_userdata;
  /**
   * Frees the userdata when the realm opened with this configuration no longer needs it, or when the realm could not
   * be opened. Each call that opens a realm calls it once. May be NULL.
   */
  flx_free_userdata_t FLX_NULLABLE free_initial_subscriptions_userdata;
  bool rerun_initial_subscriptions;
  flx_client_reset_mode_t client_reset_mode;
  /** Open, but do not connect until `flx_session_resume`. */
  bool starts_suspended;
  /**
   * May be NULL, as may the next two. A file that is already open keeps the mode and the callbacks of its first open. Of
   * several processes, only the sync agent's are called (session.h).
   */
  flx_before_client_reset_t FLX_NULLABLE before_client_reset;
  flx_after_client_reset_t FLX_NULLABLE after_client_reset;
  /** Receives CLIENT_RESET and CLIENT_RESET_FAILED instead of the app's error handler. */
  flx_client_reset_error_t FLX_NULLABLE client_reset_error;
  void *FLX_NULLABLE client_reset_userdata;
  /** Like `free_initial_subscriptions_userdata`, for `client_reset_userdata`, which an open realm needs as well. */
  flx_free_userdata_t FLX_NULLABLE free_client_reset_userdata;
  /**
   * Make `flx_realm_commit_write` fail with WRITE_REJECTED if an object that was created or changed is in none of the
   * subscriptions that are in force or await the server's answer, since the server would revert it. A change that
   * moves an object out of them is allowed. Permissions are left to the server and are not checked.
   */
  bool refuse_unsubscribed_objects;
  /**
   * The maximum number of rejected writes that the file keeps (rejected_write.h); 0 means 1000. Their changes take at
   * most 64 MiB in total. A file that is already open keeps the limit of its first open.
   */
  uint32_t rejected_write_limit;
  /**
   * Allow a write transaction to continue on a thread other than the one that began it: for actors, serial queues and
   * event loops that use the realm from several threads, but never from two at once. Concurrent calls still fail with
   * WRONG_THREAD.
   */
  bool may_change_thread_in_write;
  /**
   * Open for reading only: write transactions fail with UNSUPPORTED. Nothing is written to the file of a local realm,
   * which must exist; it may be in a folder that cannot be written, if no other program writes it meanwhile. A realm
   * cannot be open both ways at once (ALREADY_OPEN). In a local realm, classes that the file does not have are missing
   * from the realm, and properties that it does not have fail with SCHEMA_MISMATCH.
   *
   * Without a user, this also opens the file of a synced realm, whoever its user is or was; it does not sync.
   */
  bool read_only;
  /** How `classes` and those of the file are reconciled. */
  flx_schema_mode_t schema_mode;
  /**
   * The version of the schema in the versioned modes. All open handles of a realm have the same. For a synced realm, whose
   * mode is FLX_SCHEMA_ADDITIVE, the `schema_version` that the app on the server has, 0 if it has none; with another one,
   * the server ends the session with error 235. A file that is already open keeps the version of its first open.
   */
  uint64_t schema_version;
  /**
   * Converts the objects when the file has a lower version. May be NULL. A migration needs a realm that is not open
   * (ALREADY_OPEN).
   */
  flx_migration_t FLX_NULLABLE migration;
  void *FLX_NULLABLE migration_userdata;
  /** Like `free_initial_subscriptions_userdata`, for `migration_userdata`. */
  flx_free_userdata_t FLX_NULLABLE free_migration_userdata;
  /**
   * Called when the file is opened and no other realm of this process has it open. May be NULL. If another process is
   * using the file, it is not compacted.
   */
  flx_should_compact_t FLX_NULLABLE should_compact;
  void *FLX_NULLABLE should_compact_userdata;
  /** Like `free_initial_subscriptions_userdata`, for `should_compact_userdata`. */
  flx_free_userdata_t FLX_NULLABLE free_should_compact_userdata;
  /**
   * The path of a realm file of which a new file becomes a copy; empty for none. If the file exists, this is not used. A
   * synced realm needs a seed that `flx_realm_write_copy` has written for a user of the same app.
   */
  flx_string_t seed_path;
  /**
   * The number of versions of the data that may be in use when a write transaction begins, the newest one included; 0 for
   * any. Beyond it, `flx_realm_begin_write` fails with UNSUPPORTED. A version is in use as long as a realm of this
   * process, such as one that is never refreshed, shows it; the file grows meanwhile.
   */
  uint64_t maximum_active_versions;
  /**
   * Make `flx_realm_open_async` fail with the first error of the session that does not end it, such as a server that
   * cannot be reached, instead of waiting until the session succeeds.
   */
  bool fail_opening_at_first_error;
  /** Receives the progress of the download during `flx_realm_open_async`. May be NULL. */
  flx_progress_callback_t FLX_NULLABLE open_progress;
  void *FLX_NULLABLE open_progress_userdata;
  /** Like `free_initial_subscriptions_userdata`, for `open_progress_userdata`. */
  flx_free_userdata_t FLX_NULLABLE free_open_progress_userdata;
} flx_realm_config_t;

/** Determines when opening waits for the server. */
typedef enum FLX_ENUM flx_open_mode FLX_INT32 {
  /** Do not wait. */
  FLX_OPEN_LOCAL = 0,
  /** Wait for the first download and initial subscriptions if the file is new. */
  FLX_OPEN_DOWNLOAD_ONCE = 1,
  /** Wait for a download every time. */
  FLX_OPEN_DOWNLOAD_ALWAYS = 2,
} flx_open_mode_t;

/*
 * Several processes may have a realm open at once, and write to it. Each learns of what the others commit as its handles
 * learn of each other's commits: the callback of `flx_realm_set_changed_callback` is called, `flx_realm_wait_for_change`
 * returns, and observers are told exactly what has changed. A process that is far behind, by thousands of transactions
 * or by one that changed very many objects, is told of the right insertions and deletions, but that all other objects may
 * have been modified. For this, the table of the processes is in a file next to the realm, `<path>.processes`. If a
 * local realm cannot have that file, the log says so, and handles find the changes when they are refreshed. Of a synced
 * realm, one process is the sync agent (session.h).
 */

/**
 * Opens a realm with the data on the device. With a user, sync starts in the background; no network is needed.
 *
 * If the initial subscriptions run, they are committed when this returns.
 * Errors: INVALID_ARGUMENT (names, types, a primary key that is missing or, in a synced realm, not named `_id`),
 * UNSUPPORTED, IO, DISK_FULL, PERMISSION_DENIED, BUSY (another process is deleting the file, or 128 have it open),
 * NOT_A_DATABASE, CORRUPT, SCHEMA_MISMATCH, INVALID_SCHEMA_VERSION, INCOMPATIBLE_FILE, ALREADY_OPEN (with other
 * settings, or by another hard link), USER_LOGGED_OUT, what a migration or the initial subscriptions fail with. If it
 * fails and the file did not exist, no file is left.
 * Thread: any; it becomes the realm's.
 */
FLX_API flx_status_t flx_realm_open(const flx_realm_config_t *FLX_NONNULL config,
                                    flx_realm_t *FLX_NULLABLE *FLX_NONNULL out_realm, flx_error_t *FLX_NULLABLE error);

/**
 * Waits in the background until a realm with this configuration holds the data that `mode` asks for. After success,
 * `flx_realm_open` with the same configuration finds that data on the device.
 *
 * @param timeout_ms 0 waits indefinitely.
 * Errors: those of `flx_realm_open`, SUBSCRIPTION_FAILED, TIMED_OUT, SESSION_FAILED, CANCELED.
 */
FLX_API void flx_realm_open_async(const flx_realm_config_t *FLX_NONNULL config, flx_open_mode_t mode, uint64_t timeout_ms,
                                  flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                  flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_realm_open_async` that then opens the realm. Must not be called on the loop thread. */
FLX_API flx_status_t flx_realm_open_blocking(const flx_realm_config_t *FLX_NONNULL config, flx_open_mode_t mode,
                                             uint64_t timeout_ms, flx_realm_t *FLX_NULLABLE *FLX_NONNULL out_realm,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Retains a realm, which then stays open until it has been released as often as it was opened and retained. A realm that
 * a callback borrows is closed when the library says so, retained or not. Thread: the realm's.
 */
FLX_API flx_realm_t *FLX_NONNULL flx_realm_retain(flx_realm_t *FLX_NONNULL realm);

/**
 * Closes a realm before its handles are released, as the last release does. Objects and results obtained from it become
 * invalid, and functions of the realm fail with OBJECT_INVALIDATED. Does nothing if it is closed. Errors: WRONG_THREAD if
 * another thread is in a call with it, UNSUPPORTED for a frozen realm, for the one that a migration changes, and for one
 * whose initial subscriptions are being added. Any thread.
 */
FLX_API flx_status_t flx_realm_close(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Whether the realm was closed. Thread: the realm's. */
FLX_API bool flx_realm_is_closed(const flx_realm_t *FLX_NONNULL realm);

/**
 * Whether the calling thread may use the realm now. For bindings that raise an error of their own where a function that
 * returns no status would end the process. Errors: WRONG_THREAD. Any thread.
 */
FLX_API flx_status_t flx_realm_check_thread(const flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/**
 * Releases the handle and, if the realm is not retained, closes it. Objects and results obtained from it become invalid,
 * and are released as usual. An open write transaction is canceled, whichever thread began it. If another thread is in a
 * call with the realm, or with something obtained from it, this ends the process with a message.
 */
FLX_API void flx_realm_release(flx_realm_t *FLX_NULLABLE realm);

/** The path of the file. Borrowed from the realm. */
FLX_API flx_string_t flx_realm_path(const flx_realm_t *FLX_NONNULL realm);

/** Whether the realm was opened with a user. */
FLX_API bool flx_realm_is_synced(const flx_realm_t *FLX_NONNULL realm);

/** A number that increases with each change to the data that this handle sees. */
FLX_API uint64_t flx_realm_version(const flx_realm_t *FLX_NONNULL realm);

/**
 * Begins a write transaction on the newest data. It waits for other writers; notifications of their changes are
 * delivered within this call.
 *
 * The transaction belongs to this thread until it ends: calls on the realm from other threads fail with WRONG_THREAD,
 * except with `flx_realm_config_t.may_change_thread_in_write`.
 * Errors: IN_WRITE_TRANSACTION, WRONG_THREAD, BUSY (after 60 s), IO.
 */
FLX_API flx_status_t flx_realm_begin_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Called once, when it is the realm's turn to write. Thread: any; it must not use the realm. */
typedef void (*flx_write_turn_t)(void *FLX_NULLABLE userdata);

/**
 * Requests the turn for the next write transaction without waiting for other writers. `flx_realm_begin_write` takes the
 * turn; once `callback` has been called, possibly within this call, it does not wait for other writers of this process.
 * They wait until then, and until the transaction has ended. A transaction that begins before waits for the same turn.
 *
 * @param out_token releasing it gives up the request, or the turn unless a transaction has begun with it.
 * Errors: INVALID_ARGUMENT while an earlier request has not been taken by a transaction, UNSUPPORTED if the realm cannot be
 * written.
 */
FLX_API flx_status_t flx_realm_request_write(flx_realm_t *FLX_NONNULL realm, flx_write_turn_t FLX_NONNULL callback,
                                             void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                             flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * Commits the write transaction. Once this returns success, the writes survive the end of the process at any moment;
 * they are uploaded in the background. Notifications of this handle are delivered within the call.
 *
 * Errors: NOT_IN_WRITE_TRANSACTION, WRITE_REJECTED (only with `flx_realm_config_t.refuse_unsubscribed_objects`),
 * DISK_FULL, IO. On failure, nothing in the transaction takes effect.
 */
FLX_API flx_status_t flx_realm_commit_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/**
 * Commits the write transaction, like `flx_realm_commit_write`, but does not tell some observers of the realm of it. They
 * are told of later changes as if they had been told of this one.
 *
 * Errors: those of `flx_realm_commit_write`. INVALID_ARGUMENT for the token of an observer of another realm; the
 * transaction then stays open.
 */
FLX_API flx_status_t flx_realm_commit_write_silently(flx_realm_t *FLX_NONNULL realm,
                                                     flx_notification_token_t *FLX_NONNULL const *FLX_NULLABLE silenced,
                                                     size_t silenced_count, flx_error_t *FLX_NULLABLE error);

/** Reverts everything since `flx_realm_begin_write`. Errors: NOT_IN_WRITE_TRANSACTION. */
FLX_API flx_status_t flx_realm_cancel_write(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Whether this handle has a write transaction open. */
FLX_API bool flx_realm_is_in_write(const flx_realm_t *FLX_NONNULL realm);

/**
 * Advances to the newest data, also of other processes, and delivers notifications, including first calls that are due.
 *
 * @param out_changed whether the data has changed; may be NULL.
 * Errors: IO. In a write transaction it does nothing.
 */
FLX_API flx_status_t flx_realm_refresh(flx_realm_t *FLX_NONNULL realm, bool *FLX_NULLABLE out_changed,
                                       flx_error_t *FLX_NULLABLE error);

/**
 * Delivers first calls of observers that are due, without advancing. In a write transaction it does nothing.
 *
 * @param out_is_outdated whether this process knows of newer data than the handle's, to which `flx_realm_refresh`
 *   would advance; may be NULL.
 */
FLX_API flx_status_t flx_realm_notify(flx_realm_t *FLX_NONNULL realm, bool *FLX_NULLABLE out_is_outdated,
                                      flx_error_t *FLX_NULLABLE error);

/** Called when `flx_realm_refresh` has something to do. */
typedef void (*flx_realm_changed_t)(void *FLX_NULLABLE userdata);

/**
 * Sets a callback for when newer data exists, from this process or another; it should make the realm's thread call
 * `flx_realm_refresh`. NULL removes it. Thread of the callback: any; it must not use the realm.
 */
FLX_API void flx_realm_set_changed_callback(flx_realm_t *FLX_NONNULL realm, flx_realm_changed_t FLX_NULLABLE callback,
                                            void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Blocks until newer data exists, from this process or another, or the timeout expires. The realm is not refreshed. In
 * `FLX_LOOP_POLL`, it pumps the loop of a synced realm.
 *
 * @param timeout_ms 0 waits indefinitely.
 * @param out_changed false if the timeout expired.
 * Errors: INVALID_ARGUMENT for a synced realm on the loop thread.
 */
FLX_API flx_status_t flx_realm_wait_for_change(flx_realm_t *FLX_NONNULL realm, uint64_t timeout_ms,
                                               bool *FLX_NONNULL out_changed, flx_error_t *FLX_NULLABLE error);

/**
 * Deletes the files of a realm, even of one that is damaged or belongs to another user. `out_deleted` is false if
 * there were none.
 *
 * Errors: NOT_A_DATABASE for a file that is not a realm, which is left in place; ALREADY_OPEN (also while objects or
 * results of the realm have not been released, or another process has it open), MULTIPLE_SYNC_AGENTS (another process
 * syncs it), IO, PERMISSION_DENIED, INVALID_ARGUMENT.
 */
FLX_API flx_status_t flx_realm_delete_files(const flx_realm_config_t *FLX_NONNULL config, bool *FLX_NONNULL out_deleted,
                                            flx_error_t *FLX_NULLABLE error);

/** Checks whether the file of a configuration exists. Errors: INVALID_ARGUMENT. */
FLX_API flx_status_t flx_realm_file_exists(const flx_realm_config_t *FLX_NONNULL config, bool *FLX_NONNULL out_exists,
                                           flx_error_t *FLX_NULLABLE error);

/**
 * Writes a compact copy of the committed data of a realm to a new file: the path of `destination`, of whose other
 * members only the user and the default path are used. The copy appears when it is complete.
 *
 * With a user, the copy of a synced realm is a synced realm, from which devices can start (`seed_path`). It has no changes
 * of its own, gets its own identity from the server, and continues where the original was when it was copied. The server
 * can do that if the device of the original has never uploaded changes, and has downloaded none since; otherwise the
 * first connection of the copy causes a client reset. Without a user, the copy is a local realm.
 *
 * Errors: FILE_EXISTS; UNSUPPORTED for a synced copy of a local realm, of a realm with changes that the server has not
 * acknowledged, or for another app; IN_WRITE_TRANSACTION, INVALID_ARGUMENT, IO, DISK_FULL, PERMISSION_DENIED. Thread: the
 * realm's.
 */
FLX_API flx_status_t flx_realm_write_copy(flx_realm_t *FLX_NONNULL realm,
                                          const flx_realm_config_t *FLX_NONNULL destination,
                                          flx_error_t *FLX_NULLABLE error);

/**
 * Called within `flx_realm_refresh` and `flx_realm_begin_write` when the data of the realm has changed, and within
 * `flx_realm_commit_write` for each transaction of the realm itself.
 */
typedef void (*flx_realm_observer_t)(void *FLX_NULLABLE userdata, flx_realm_t *FLX_NONNULL realm);

/** Observes any change of the realm until the token is released. */
FLX_API flx_status_t flx_realm_observe(flx_realm_t *FLX_NONNULL realm, flx_realm_observer_t FLX_NONNULL callback,
                                       void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata,
                                       flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                       flx_error_t *FLX_NULLABLE error);

/** Retains a token: the notifications end when it is stopped or released for the last time. Any thread. */
FLX_API flx_notification_token_t *FLX_NONNULL flx_notification_token_retain(flx_notification_token_t *FLX_NONNULL token);

/**
 * Ends the notifications of a token, and waits until its callback has returned, if it is running on another thread. What
 * the callback uses may be freed afterwards. Within the callback itself, it does not wait. The token must still be
 * released. Do not call it while holding a lock that the callback takes. Any thread.
 */
FLX_API void flx_notification_token_stop(flx_notification_token_t *FLX_NONNULL token);

/**
 * Releases a token, which ends its notifications unless it is retained. Once they have ended, no further call of the
 * callback begins. It does not wait for a call that is already running on another thread, unlike
 * `flx_notification_token_stop`: free whatever the callback uses in `free_userdata`, which is called after it. Any thread.
 */
FLX_API void flx_notification_token_release(flx_notification_token_t *FLX_NULLABLE token);

FLX_END_DECLS

#endif
