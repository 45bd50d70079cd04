/* SPDX-License-Identifier: Apache-2.0 */
/** @file Sync sessions: state, waiting, progress and errors. All functions here may be called from any thread. */
#ifndef FLEXSYNC_SESSION_H
#define FLEXSYNC_SESSION_H

#include "realm.h"

FLX_BEGIN_DECLS

/*
 * Several processes may have a synced realm open. One of them is its sync agent: it connects to the server, uploads what
 * all of them commit, sends their subscriptions, and stores what the server sends. When it closes the realm, suspends
 * its session, loses its user or dies, another one takes over at once, and continues where it was.
 *
 * The functions here work in every process. Those that wait, and those that observe progress, follow in the file what
 * the sync agent does. The state of the connection is that of this process, which is disconnected unless it is the sync
 * agent. Errors are reported to the sync agent's error handler; an error that ends its session makes the next process
 * try, which ends with the same error there if the reason is still the same. A rejected write is reported once, to the
 * process that was the sync agent when it was rejected; the list of rejected writes is the same in all processes.
 */

/** Whether a session syncs. */
typedef enum FLX_ENUM flx_session_state FLX_INT32 {
  /** Syncing, or trying to, or waiting to become the sync agent. */
  FLX_SESSION_ACTIVE = 0,
  /** Suspended, logged out, or ended by a fatal error. */
  FLX_SESSION_INACTIVE = 1,
  /** The realm is closed; the session never syncs again. */
  FLX_SESSION_CLOSED = 2,
} flx_session_state_t;

/** Whether a session is connected to the server. */
typedef enum FLX_ENUM flx_connection_state FLX_INT32 {
  FLX_CONNECTION_DISCONNECTED = 0,
  FLX_CONNECTION_CONNECTING = 1,
  FLX_CONNECTION_CONNECTED = 2,
} flx_connection_state_t;

/** The direction of a transfer. */
typedef enum FLX_ENUM flx_direction FLX_INT32 {
  FLX_DIRECTION_UPLOAD = 0,
  FLX_DIRECTION_DOWNLOAD = 1,
} flx_direction_t;

/** The sync session of a realm, shared by all its handles; NULL for a local realm. The caller releases it. */
FLX_API flx_session_t *FLX_NULLABLE flx_realm_get_session(flx_realm_t *FLX_NONNULL realm);
/** Retains a session. Any thread. */
FLX_API flx_session_t *FLX_NONNULL flx_session_retain(flx_session_t *FLX_NONNULL session);
/** Releases a session. Any thread. */
FLX_API void flx_session_release(flx_session_t *FLX_NULLABLE session);

/** The path of the file that the session syncs. Borrowed from the session. */
FLX_API flx_string_t flx_session_path(const flx_session_t *FLX_NONNULL session);

/** The user whose data the session syncs. The caller releases it. */
FLX_API flx_user_t *FLX_NONNULL flx_session_get_user(flx_session_t *FLX_NONNULL session);

/** The number of sessions of a user whose realms are open. */
FLX_API size_t flx_user_session_count(flx_user_t *FLX_NONNULL user);

/** The session at a position, in the order of opening; NULL if out of range. The caller releases it. */
FLX_API flx_session_t *FLX_NULLABLE flx_user_get_session_at(flx_user_t *FLX_NONNULL user, size_t index);

/** Whether the session is currently syncing. Once `flx_session_suspend` has returned, it is not. */
FLX_API flx_session_state_t flx_session_get_state(const flx_session_t *FLX_NONNULL session);

/** Whether the session is currently connected. */
FLX_API flx_connection_state_t flx_session_get_connection_state(const flx_session_t *FLX_NONNULL session);

/**
 * Whether this process is the sync agent of the file, see above. That can change at any time, also while this function
 * returns.
 */
FLX_API bool flx_session_is_sync_agent(const flx_session_t *FLX_NONNULL session);

/**
 * Stops syncing until `flx_session_resume`; local writes are kept, and those committed after the call are not sent
 * before. Pending waits fail with SESSION_INACTIVE. If other processes have the realm open with a session that is not
 * suspended, one of them becomes the sync agent, and sends what was committed.
 */
FLX_API void flx_session_suspend(flx_session_t *FLX_NONNULL session);

/** Resumes syncing. */
FLX_API void flx_session_resume(flx_session_t *FLX_NONNULL session);

/** Reconnects now instead of waiting for the back-off to end. */
FLX_API void flx_session_reconnect(flx_session_t *FLX_NONNULL session);

/**
 * Waits until everything committed before this call is on the server (UPLOAD), or until everything that the server
 * had when it received the request is on the device (DOWNLOAD).
 *
 * @param timeout_ms 0 waits indefinitely.
 * Errors: SESSION_INACTIVE if the session is suspended, its user logs out or its realm is closed during the wait,
 * SESSION_FAILED, TIMED_OUT. A wait that begins while the session is suspended waits until it is resumed. Waiting for
 * the upload succeeds at once if nothing is left to upload, even while the session is suspended.
 */
FLX_API void flx_session_wait(flx_session_t *FLX_NONNULL session, flx_direction_t direction, uint64_t timeout_ms,
                              flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                              flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_session_wait`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_session_wait_blocking(flx_session_t *FLX_NONNULL session, flx_direction_t direction,
                                               uint64_t timeout_ms, flx_error_t *FLX_NULLABLE error);

/** Called with the old and the new state. Thread: the loop thread. */
typedef void (*flx_connection_state_callback_t)(void *FLX_NULLABLE userdata, flx_connection_state_t old_state,
                                                flx_connection_state_t new_state);

/** Observes the connection state until the token is released. */
FLX_API flx_status_t flx_session_observe_connection(flx_session_t *FLX_NONNULL session,
                                                    flx_connection_state_callback_t FLX_NONNULL callback,
                                                    void *FLX_NULLABLE userdata,
                                                    flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                    flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                    flx_error_t *FLX_NULLABLE error);

/**
 * Observes the progress of transfers until the token is released.
 *
 * @param only_outstanding end when the work now outstanding is done; otherwise continue with later work.
 */
FLX_API flx_status_t flx_session_observe_progress(flx_session_t *FLX_NONNULL session, flx_direction_t direction,
                                                  bool only_outstanding, flx_progress_callback_t FLX_NONNULL callback,
                                                  void *FLX_NULLABLE userdata,
                                                  flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                  flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                  flx_error_t *FLX_NULLABLE error);

/**
 * A write that the server reverted, that was lost, or that, for an asymmetric class, the server did not store. The
 * file keeps what was written (rejected_write.h).
 */
typedef struct flx_compensating_write {
  flx_string_t class_name;
  flx_value_t primary_key;
  /** The reason given by the server. */
  flx_string_t reason;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[2];
} flx_compensating_write_t;

/** An error of a sync session. Everything in it is borrowed for the duration of the callback. */
typedef struct flx_sync_error {
  /**
   * WRITE_REJECTED, SESSION_FAILED, CLIENT_RESET, CLIENT_RESET_FAILED, SERVER_WARNING, CONNECTION_FAILED, TLS_FAILED,
   * INVALID_SESSION …
   */
  flx_status_t status;
  /** The code of the sync protocol, or 0. */
  int32_t protocol_code;
  /** Whether the session has ended and will not resume by itself. */
  bool is_fatal;
  flx_string_t message;
  /** The URL of the server's log, or empty. */
  flx_string_t server_log_url;
  const flx_compensating_write_t *FLX_NULLABLE compensating_writes;
  size_t compensating_write_count;
  /**
   * For CLIENT_RESET and CLIENT_RESET_FAILED, the path to which the file is backed up before it is deleted. For
   * INVALID_SESSION, the path of the file, which stays, with what was not uploaded: also if its user is anonymous, or no
   * longer known to the server, and so cannot log in again. Either can be opened without a user, with `read_only`.
   */
  flx_string_t recovery_path;
} flx_sync_error_t;

/**
 * Backs up and deletes the file of a session if a client reset is due that is left to the program (CLIENT_RESET,
 * CLIENT_RESET_FAILED); opening the realm does the same. `out_done` is false if none is due. The path of the backup
 * is `flx_sync_error_t.recovery_path`.
 *
 * Errors: ALREADY_OPEN while the realm, or objects or results obtained from it, have not been released, or another process
 * has the file open; MULTIPLE_SYNC_AGENTS if another process syncs it; IO, DISK_FULL, PERMISSION_DENIED. While another
 * process has the file open, opening the realm does not reset it either; the session then reports the error again.
 */
FLX_API flx_status_t flx_session_perform_client_reset(flx_session_t *FLX_NONNULL session, bool *FLX_NONNULL out_done,
                                                      flx_error_t *FLX_NULLABLE error);

/** Called for each error of a session; `session` is borrowed. Thread: the loop thread. */
typedef void (*flx_sync_error_callback_t)(void *FLX_NULLABLE userdata, flx_session_t *FLX_NONNULL session,
                                          const flx_sync_error_t *FLX_NONNULL error);

/**
 * Observes the errors of one session until the token is released, in addition to the app's handler, which is called after
 * it, and to the handler of client resets. Errors: none of its own.
 */
FLX_API flx_status_t flx_session_observe_errors(flx_session_t *FLX_NONNULL session,
                                                flx_sync_error_callback_t FLX_NONNULL callback,
                                                void *FLX_NULLABLE userdata,
                                                flx_free_userdata_t FLX_NULLABLE free_userdata,
                                                flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                                flx_error_t *FLX_NULLABLE error);

/**
 * Sets the handler for the errors of all sessions of an app; NULL removes it. Set it before opening the first realm.
 */
FLX_API void flx_app_set_error_handler(flx_app_t *FLX_NONNULL app, flx_sync_error_callback_t FLX_NULLABLE callback,
                                       void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

FLX_END_DECLS

#endif
