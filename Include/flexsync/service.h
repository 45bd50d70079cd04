/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Services of an app: functions, MongoDB collections and push messages.
 *
 * They need a server that offers them, as App Services did; `flexsyncd` refuses them all. All functions here may
 * be called from any thread. Those with a completion, and their blocking forms, can fail with SERVICE_ERROR,
 * CONNECTION_FAILED, TLS_FAILED, BAD_RESPONSE, TIMED_OUT, USER_LOGGED_OUT, USER_NOT_FOUND (the user was removed from
 * this device) and INVALID_SESSION. `flx_error_t.server_code` holds the server's name for the error.
 */
#ifndef FLEXSYNC_SERVICE_H
#define FLEXSYNC_SERVICE_H

#include "app.h"

FLX_BEGIN_DECLS

/**
 * Called with the result of a function as Extended JSON, or with an error. Both are borrowed for the call. Thread: the
 * loop thread.
 */
typedef void (*flx_function_completion_t)(void *FLX_NULLABLE userdata, flx_string_t result,
                                          const flx_error_t *FLX_NULLABLE error);

/**
 * Calls a function of the app as the user.
 *
 * @param name the name of the function; for a service, that of one of its functions, such as "find".
 * @param arguments the arguments: a JSON array in Extended JSON. Empty text means none.
 * @param service the name of the service that has the function, such as "mongodb-atlas"; empty for a function of the
 *   app itself. The functions of a MongoDB service take one document with `database` and `collection`.
 * Errors: INVALID_ARGUMENT if `arguments` is not a JSON array; SERVICE_ERROR, with the server code "FunctionNotFound",
 * "FunctionExecutionError" … if the server refuses or fails.
 */
FLX_API void flx_user_call_function(flx_user_t *FLX_NONNULL user, flx_string_t name, flx_string_t arguments,
                                    flx_string_t service, flx_function_completion_t FLX_NONNULL completion,
                                    void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Blocking form of `flx_user_call_function`. Must not be called on the loop thread. The result is zero-terminated
 * text; free it with `flx_free`.
 */
FLX_API flx_status_t flx_user_call_function_blocking(flx_user_t *FLX_NONNULL user, flx_string_t name,
                                                     flx_string_t arguments, flx_string_t service,
                                                     char *FLX_NULLABLE *FLX_NONNULL out_result,
                                                     flx_error_t *FLX_NULLABLE error);

/** The kind of an event that a stream of changes reports. */
typedef enum FLX_ENUM flx_watch_event FLX_INT32 {
  /** The server has accepted the request: later changes are reported. */
  FLX_WATCH_OPENED = 0,
  /** A change: `change` is a change event of MongoDB in Extended JSON. */
  FLX_WATCH_CHANGED = 1,
  /** The server reports an error; the stream ends. */
  FLX_WATCH_FAILED = 2,
  /** The stream has ended, by itself if there is an error. It is the last event. */
  FLX_WATCH_CLOSED = 3,
} flx_watch_event_t;

/** Called for each event of a stream; `change` and `error` are borrowed for the call. Thread: the loop thread. */
typedef void (*flx_watch_callback_t)(void *FLX_NULLABLE userdata, flx_watch_event_t event, flx_string_t change,
                                     const flx_error_t *FLX_NULLABLE error);

/**
 * Watches a collection for changes, until the token is released. Releasing it ends the stream without further events.
 *
 * @param arguments like those of `flx_user_call_function`: one document with `database`, `collection` and, optionally,
 *   `filter` (a condition on change events) or `ids` (of the documents to watch).
 * Errors: INVALID_ARGUMENT if `arguments` is not a JSON array. Others are reported by the callback.
 */
FLX_API flx_status_t flx_user_watch(flx_user_t *FLX_NONNULL user, flx_string_t arguments, flx_string_t service,
                                    flx_watch_callback_t FLX_NONNULL callback, void *FLX_NULLABLE userdata,
                                    flx_free_userdata_t FLX_NULLABLE free_userdata,
                                    flx_notification_token_t *FLX_NULLABLE *FLX_NONNULL out_token,
                                    flx_error_t *FLX_NULLABLE error);

/**
 * Registers this device for the push messages of a service, or ends its registration.
 *
 * @param service the name of the service, such as "gcm".
 * @param token the device's registration token; empty ends the registration.
 */
FLX_API void flx_user_register_push(flx_user_t *FLX_NONNULL user, flx_string_t service, flx_string_t token,
                                    flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                    flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_register_push`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_register_push_blocking(flx_user_t *FLX_NONNULL user, flx_string_t service,
                                                     flx_string_t token, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
