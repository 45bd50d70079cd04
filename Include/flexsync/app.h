/* SPDX-License-Identifier: Apache-2.0 */
/** @file Apps, users and logging. All functions here may be called from any thread. */
#ifndef FLEXSYNC_APP_H
#define FLEXSYNC_APP_H

#include "error.h"

FLX_BEGIN_DECLS

/** Determines who runs the event loop on which networking and sync happen. */
typedef enum FLX_ENUM flx_loop_mode FLX_INT32 {
  /** The library runs it on a thread of its own (the default). */
  FLX_LOOP_OWN_THREAD = 0,
  /** The program runs the `uv_loop_t` that it passes in `uv_loop`. */
  FLX_LOOP_HOST_UV = 1,
  /** The program polls `flx_app_poll_descriptor` and calls `flx_app_pump`. */
  FLX_LOOP_POLL = 2,
} flx_loop_mode_t;

/** Configuration of an app. Zero the entire struct, then set `struct_size` and the members that are needed. */
typedef struct flx_app_config {
  /** `sizeof(flx_app_config_t)` in the header compiled against. */
  size_t struct_size;
  /** The app id as known to the server, such as "tasktracker-abcde". Required. */
  flx_string_t app_id;
  /** The URL of the server, "http://…" or "https://…". Required. */
  flx_string_t base_url;
  /** A folder for credentials and default realm files; created if missing. Required. */
  flx_string_t storage_directory;
  /** A PEM file with the certificates to trust instead of the system's. Optional. */
  flx_string_t trusted_certificates_file;
  /** The timeout of each HTTP request in ms; 0 means 60 000. */
  uint64_t request_timeout_ms;
  /** The timeout of the TCP, TLS and WebSocket handshake in ms; 0 means 120 000. */
  uint64_t connect_timeout_ms;
  flx_loop_mode_t loop_mode;
  /**
   * A `uv_loop_t *` for `FLX_LOOP_HOST_UV`. It must outlive the app. Create the app on the loop's thread, and ignore
   * SIGPIPE in the program: libuv does not, and a server that closes its connection would end the process.
   */
  void *FLX_NULLABLE uv_loop;
} flx_app_config_t;

/**
 * Opens an app and reads the cached users, without using the network.
 *
 * Within a process, the same app id, base URL and storage directory yield the same app. If any other setting differs
 * from that of the existing app, the call fails with INVALID_ARGUMENT, and the message names the setting.
 * Errors: INVALID_ARGUMENT (also for an unusable base URL), IO (also if no file descriptors are left),
 * PERMISSION_DENIED, CORRUPT (the credentials file).
 */
FLX_API flx_status_t flx_app_create(const flx_app_config_t *FLX_NONNULL config, flx_app_t *FLX_NULLABLE *FLX_NONNULL out_app,
                                    flx_error_t *FLX_NULLABLE error);
/** Retains an app. Any thread. */
FLX_API flx_app_t *FLX_NONNULL flx_app_retain(flx_app_t *FLX_NONNULL app);
/** Releases an app. Any thread. */
FLX_API void flx_app_release(flx_app_t *FLX_NULLABLE app);

/** The app id. Borrowed from the app. */
FLX_API flx_string_t flx_app_id(const flx_app_t *FLX_NONNULL app);

/** In `FLX_LOOP_POLL`, a descriptor that becomes readable when `flx_app_pump` has work to do; otherwise -1. */
FLX_API int flx_app_poll_descriptor(flx_app_t *FLX_NONNULL app);

/**
 * In `FLX_LOOP_POLL`, does the work that is due, without blocking. Does nothing while another thread is pumping. Blocking
 * functions pump while they wait.
 *
 * The session of a realm ends in the first call after the realm is closed. Without that call, the app stays in memory and
 * connected even when it is released.
 *
 * @param out_next_ms the time until the next timer in ms, or −1 if none is set: call again by then, or when the
 *   descriptor is readable.
 * Errors: UNSUPPORTED in the other modes, INVALID_ARGUMENT in a callback that this function makes.
 */
FLX_API flx_status_t flx_app_pump(flx_app_t *FLX_NONNULL app, int64_t *FLX_NONNULL out_next_ms,
                                  flx_error_t *FLX_NULLABLE error);

/** The times of sync connections in ms. Zero the entire struct, then set `struct_size` and the members to change. */
typedef struct flx_sync_timeouts {
  /** `sizeof(flx_sync_timeouts_t)` in the header compiled against. */
  size_t struct_size;
  /** The time for resolving the name and for the TCP, TLS and WebSocket handshakes; 0 means 120 000. */
  uint64_t connect_ms;
  /** The time for which a connection is kept that no session uses; 0 means 30 000. */
  uint64_t connection_linger_ms;
  /** The time between two pings; 0 means 60 000. */
  uint64_t ping_period_ms;
  /** The time within which a ping must be answered; 0 means 120 000. */
  uint64_t pong_timeout_ms;
  /**
   * The longest interruption after which a session uploads at once; after a longer one, it first downloads. 0 means
   * 60 000.
   */
  uint64_t fast_reconnect_ms;
} flx_sync_timeouts_t;

/**
 * Sets the times of sync connections that begin after this call. `connect_ms` replaces
 * `flx_app_config_t.connect_timeout_ms`.
 *
 * Errors: INVALID_ARGUMENT if `struct_size` is not set.
 */
FLX_API flx_status_t flx_app_set_sync_timeouts(flx_app_t *FLX_NONNULL app,
                                               const flx_sync_timeouts_t *FLX_NONNULL timeouts,
                                               flx_error_t *FLX_NULLABLE error);

/** A header of an HTTP message. */
typedef struct flx_http_header {
  flx_string_t name;
  flx_string_t value;
} flx_http_header_t;

/**
 * Sets headers for all requests to the server, including those that open sync connections. They replace headers of
 * the same name. Sessions that are open drop their connections and connect again with the new headers.
 *
 * Errors: INVALID_ARGUMENT for a name that is empty or has characters other than those of an HTTP token.
 */
FLX_API flx_status_t flx_app_set_request_headers(flx_app_t *FLX_NONNULL app,
                                                 const flx_http_header_t *FLX_NULLABLE headers, size_t count,
                                                 flx_error_t *FLX_NULLABLE error);

/**
 * Sets the name of the header that carries the user's token, for a proxy that needs `Authorization` for itself; empty
 * text means `Authorization`. Requests that open sync connections have the token in their URL; they carry this header
 * as well if it has another name. Sessions connect again, as after `flx_app_set_request_headers`.
 *
 * Errors: those of `flx_app_set_request_headers`.
 */
FLX_API flx_status_t flx_app_set_authorization_header(flx_app_t *FLX_NONNULL app, flx_string_t name,
                                                      flx_error_t *FLX_NULLABLE error);

/**
 * Sets what is appended to the `User-Agent` header of sync connections that are opened after this call.
 *
 * Errors: INVALID_ARGUMENT for text that is not UTF-8.
 */
FLX_API flx_status_t flx_app_set_user_agent(flx_app_t *FLX_NONNULL app, flx_string_t text,
                                            flx_error_t *FLX_NULLABLE error);

/** Copies the URL of the server as zero-terminated text. Free it with `flx_free`. */
FLX_API char *FLX_NULLABLE flx_app_base_url_copy(flx_app_t *FLX_NONNULL app);

/**
 * Moves the app to a server at another URL, until the end of the process. Open sessions connect to that server, which
 * demands a client reset if it does not have the history of their files. On failure the app keeps its server.
 *
 * Errors: INVALID_ARGUMENT for an unusable URL, APP_NOT_FOUND, SERVICE_ERROR, CONNECTION_FAILED, TLS_FAILED,
 * BAD_RESPONSE, TIMED_OUT.
 */
FLX_API void flx_app_update_base_url(flx_app_t *FLX_NONNULL app, flx_string_t base_url,
                                     flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_update_base_url`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_update_base_url_blocking(flx_app_t *FLX_NONNULL app, flx_string_t base_url,
                                                      flx_error_t *FLX_NULLABLE error);

/** An HTTP request. Everything in it is borrowed for the duration of the call that it is passed to. */
typedef struct flx_http_request {
  /** "GET", "POST" … */
  flx_string_t method;
  /** "http://…" or "https://…". */
  flx_string_t url;
  const flx_http_header_t *FLX_NULLABLE headers;
  size_t header_count;
  flx_string_t body;
  /** The time for the entire request in ms. */
  uint64_t timeout_ms;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_http_request_t;

/** The response to an HTTP request. Everything in it is borrowed for the duration of the call that it is passed to. */
typedef struct flx_http_response {
  /** The HTTP status, 100 to 999. */
  int32_t status;
  const flx_http_header_t *FLX_NULLABLE headers;
  size_t header_count;
  flx_string_t body;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_http_response_t;

/**
 * Receives the response to a request or, if there is none, an error. Thread: for a completion that the library passes
 * to a transport, any; for one that it calls itself, the loop thread.
 */
typedef void (*flx_http_completion_t)(void *FLX_NULLABLE userdata, const flx_http_response_t *FLX_NULLABLE response,
                                      const flx_error_t *FLX_NULLABLE error);

/**
 * Performs an HTTP request for the library. `app` is borrowed for the call. It must call `completion` exactly once, with
 * `completion_userdata`, on any thread and either within the call or later. Thread: the loop thread.
 */
typedef void (*flx_http_transport_t)(void *FLX_NULLABLE userdata, flx_app_t *FLX_NONNULL app,
                                     const flx_http_request_t *FLX_NONNULL request,
                                     flx_http_completion_t FLX_NONNULL completion,
                                     void *FLX_NULLABLE completion_userdata);

/**
 * Makes the library pass its HTTP requests to `transport`; NULL makes it perform them itself again. Sync connections
 * and `flx_user_watch` do not use it.
 */
FLX_API void flx_app_set_http_transport(flx_app_t *FLX_NONNULL app, flx_http_transport_t FLX_NULLABLE transport,
                                        void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Performs an HTTP request with the library's own HTTP client and the app's certificates, for a transport that changes
 * requests or responses.
 *
 * Errors: INVALID_ARGUMENT for an unusable method or URL, CONNECTION_FAILED, TLS_FAILED, BAD_RESPONSE, TIMED_OUT. Any
 * HTTP status is a success.
 */
FLX_API void flx_app_perform_http_request(flx_app_t *FLX_NONNULL app, const flx_http_request_t *FLX_NONNULL request,
                                          flx_http_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                          flx_free_userdata_t FLX_NULLABLE free_userdata);

/** The kinds of `flx_credentials_t`. */
typedef enum FLX_ENUM flx_credentials_kind FLX_INT32 {
  FLX_CREDENTIALS_ANONYMOUS = 0,
  /** `name` is the email address, `secret` the password. */
  FLX_CREDENTIALS_EMAIL_PASSWORD = 1,
  /** `secret` is the API key. */
  FLX_CREDENTIALS_API_KEY = 2,
  /** `secret` is the JSON Web Token. */
  FLX_CREDENTIALS_JWT = 3,
  /** `secret` is a JSON object whose members are passed to a function of the app. */
  FLX_CREDENTIALS_FUNCTION = 4,
  /** `secret` is the Google server auth code. */
  FLX_CREDENTIALS_GOOGLE_AUTH_CODE = 5,
  /** `secret` is the Google id token. */
  FLX_CREDENTIALS_GOOGLE_ID_TOKEN = 6,
  /** `secret` is the Apple id token. */
  FLX_CREDENTIALS_APPLE = 7,
  /** `secret` is the Facebook access token. */
  FLX_CREDENTIALS_FACEBOOK = 8,
  /** A new anonymous user, even if one is already logged in. */
  FLX_CREDENTIALS_NEW_ANONYMOUS = 9,
} flx_credentials_kind_t;

/** Proof of a user's identity. Kinds that the server does not allow for the app fail with AUTH_PROVIDER_NOT_FOUND. */
typedef struct flx_credentials {
  flx_credentials_kind_t kind;
  flx_string_t name;
  flx_string_t secret;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_credentials_t;

/**
 * Registers an account with email and password, without logging in.
 *
 * Errors: ACCOUNT_NAME_IN_USE, SERVICE_ERROR, CONNECTION_FAILED, TLS_FAILED, BAD_RESPONSE, TIMED_OUT.
 */
FLX_API void flx_app_register_email(flx_app_t *FLX_NONNULL app, flx_string_t email, flx_string_t password,
                                    flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                    flx_free_userdata_t FLX_NULLABLE free_userdata);

/**
 * Called with a user that the receiver must release, or with an error that is borrowed for the call. Thread: the loop
 * thread.
 */
typedef void (*flx_user_completion_t)(void *FLX_NULLABLE userdata, flx_user_t *FLX_NULLABLE user,
                                      const flx_error_t *FLX_NULLABLE error);

/**
 * Logs in and makes the user the current one. Tokens and profile are cached in the storage directory.
 *
 * A second anonymous login yields the anonymous user who is already logged in, without a request, unless an identity
 * has been linked to that user.
 * Errors: INVALID_PASSWORD, AUTH_PROVIDER_NOT_FOUND, USER_DISABLED, SERVICE_ERROR, CONNECTION_FAILED, TLS_FAILED,
 * BAD_RESPONSE, TIMED_OUT, IO. On failure the current user is unchanged.
 */
FLX_API void flx_app_log_in(flx_app_t *FLX_NONNULL app, const flx_credentials_t *FLX_NONNULL credentials,
                            flx_user_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                            flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_register_email`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_register_email_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email, flx_string_t password,
                                                     flx_error_t *FLX_NULLABLE error);

/** Blocking form of `flx_app_log_in`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_log_in_blocking(flx_app_t *FLX_NONNULL app, const flx_credentials_t *FLX_NONNULL credentials,
                                             flx_user_t *FLX_NULLABLE *FLX_NONNULL out_user,
                                             flx_error_t *FLX_NULLABLE error);

/**
 * The user who last logged in or was last switched to or, once that user has logged out, another logged-in user; NULL
 * if no user is logged in. The caller releases it.
 */
FLX_API flx_user_t *FLX_NULLABLE flx_app_get_current_user(flx_app_t *FLX_NONNULL app);

/** The number of users stored on this device, logged in or not. */
FLX_API size_t flx_app_user_count(flx_app_t *FLX_NONNULL app);

/** The user at a position; NULL if out of range. The caller releases it. */
FLX_API flx_user_t *FLX_NULLABLE flx_app_get_user_at(flx_app_t *FLX_NONNULL app, size_t index);

/** Makes a logged-in user the current one. Errors: USER_LOGGED_OUT, USER_NOT_FOUND, IO. */
FLX_API flx_status_t flx_app_switch_user(flx_app_t *FLX_NONNULL app, flx_user_t *FLX_NONNULL user,
                                         flx_error_t *FLX_NULLABLE error);

/** Whether a user can sync. */
typedef enum FLX_ENUM flx_user_state FLX_INT32 {
  /**
   * The user is stored on this device, but has to log in again. An anonymous user whose login the server has ended cannot
   * do that, and stays until `flx_user_remove`, since the files may have what was not uploaded.
   */
  FLX_USER_LOGGED_OUT = 0,
  FLX_USER_LOGGED_IN = 1,
  /** The user was removed from this device or deleted on the server. */
  FLX_USER_REMOVED = 2,
} flx_user_state_t;

/** Retains a user. Any thread. */
FLX_API flx_user_t *FLX_NONNULL flx_user_retain(flx_user_t *FLX_NONNULL user);
/** Releases a user. Any thread. */
FLX_API void flx_user_release(flx_user_t *FLX_NULLABLE user);

/** The user's id on the server. Borrowed from the user. */
FLX_API flx_string_t flx_user_id(const flx_user_t *FLX_NONNULL user);

/** The provider of the identity used at the last login: "anon-user", "local-userpass" … Static memory. */
FLX_API flx_string_t flx_user_provider(const flx_user_t *FLX_NONNULL user);

/** Whether the user can currently sync. */
FLX_API flx_user_state_t flx_user_get_state(const flx_user_t *FLX_NONNULL user);

/** The app of the user. Borrowed from the user. */
FLX_API flx_app_t *FLX_NONNULL flx_user_app(const flx_user_t *FLX_NONNULL user);

/** Copies the current access token as zero-terminated text; NULL if the user is logged out. Free it with `flx_free`. */
FLX_API char *FLX_NULLABLE flx_user_access_token_copy(const flx_user_t *FLX_NONNULL user);

/** Copies the refresh token as zero-terminated text; NULL if the user is logged out. Free it with `flx_free`. */
FLX_API char *FLX_NULLABLE flx_user_refresh_token_copy(const flx_user_t *FLX_NONNULL user);

/** Frees memory returned by a `_copy` function, or by any other function whose comment refers to `flx_free`. */
FLX_API void flx_free(void *FLX_NULLABLE memory);

/**
 * Logs the user out: ends the user's sync sessions, discards the tokens and notifies the server. Files are kept,
 * except that an anonymous user is removed together with the default realm files, as soon as they are closed. When
 * offline, the user is logged out on this device and the call succeeds. If the server ends a login, no user is removed and
 * no file is deleted; see `flx_sync_error_t.recovery_path`.
 */
FLX_API void flx_user_log_out(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                              void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_log_out`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_log_out_blocking(flx_user_t *FLX_NONNULL user, flx_error_t *FLX_NULLABLE error);

/**
 * Logs the user out, removes the user from this device and deletes the user's default realm files. The account on the
 * server is kept.
 *
 * Errors: ALREADY_OPEN, USER_NOT_FOUND for a user who has already been removed, IO.
 */
FLX_API void flx_user_remove(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                             void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_remove`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_remove_blocking(flx_user_t *FLX_NONNULL user, flx_error_t *FLX_NULLABLE error);

/** The severity of a log line, as in the sync protocol. A threshold lets through lines that are at least as severe. */
typedef enum FLX_ENUM flx_log_level FLX_INT32 {
  FLX_LOG_ALL = 0,
  FLX_LOG_TRACE = 1,
  FLX_LOG_DEBUG = 2,
  FLX_LOG_DETAIL = 3,
  FLX_LOG_INFO = 4,
  FLX_LOG_WARN = 5,
  FLX_LOG_ERROR = 6,
  FLX_LOG_FATAL = 7,
  FLX_LOG_OFF = 8,
} flx_log_level_t;

/** Receives one line, borrowed for the call. Thread: any, possibly several at once. */
typedef void (*flx_log_callback_t)(void *FLX_NULLABLE userdata, flx_log_level_t level, flx_string_t message);

/** Sends the log of the entire process to `callback`; NULL sends it to stderr again. The initial threshold is WARN. */
FLX_API void flx_set_logger(flx_log_level_t threshold, flx_log_callback_t FLX_NULLABLE callback,
                            void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

FLX_END_DECLS

#endif
