/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Accounts: email and password, API keys, identities, profile and custom data.
 *
 * All functions here may be called from any thread. Those with a completion, and their blocking forms, send a request
 * to the server. In addition to the errors listed, they can fail with SERVICE_ERROR, CONNECTION_FAILED, TLS_FAILED,
 * BAD_RESPONSE and TIMED_OUT, and those that take a user also with USER_LOGGED_OUT, USER_NOT_FOUND (the user was
 * removed from this device) and INVALID_SESSION (the server no longer accepts the login, and the user is now logged
 * out). `flx_error_t.server_code` holds the server's name for the error.
 */
#ifndef FLEXSYNC_ACCOUNT_H
#define FLEXSYNC_ACCOUNT_H

#include "app.h"
#include "value.h"

FLX_BEGIN_DECLS

/* Email and password. Registering is `flx_app_register_email`. */

/**
 * Confirms an account with the token and the token id from the confirmation email.
 *
 * Errors: SERVICE_ERROR if they are wrong or too old, USER_ALREADY_CONFIRMED.
 */
FLX_API void flx_app_confirm_email(flx_app_t *FLX_NONNULL app, flx_string_t token, flx_string_t token_id,
                                   flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                   flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_confirm_email`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_confirm_email_blocking(flx_app_t *FLX_NONNULL app, flx_string_t token,
                                                    flx_string_t token_id, flx_error_t *FLX_NULLABLE error);

/** Asks the server to send the confirmation email again. Errors: USER_NOT_FOUND, USER_ALREADY_CONFIRMED. */
FLX_API void flx_app_resend_confirmation(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                         flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                         flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_resend_confirmation`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_resend_confirmation_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                          flx_error_t *FLX_NULLABLE error);

/** Asks the server to call the app's confirmation function again. Errors: USER_NOT_FOUND, USER_ALREADY_CONFIRMED. */
FLX_API void flx_app_retry_confirmation_function(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                 flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                                 flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_retry_confirmation_function`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_retry_confirmation_function_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                                  flx_error_t *FLX_NULLABLE error);

/** Asks the server to send a password reset email. Errors: USER_NOT_FOUND, if the server reports it. */
FLX_API void flx_app_send_password_reset(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                         flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                         flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_send_password_reset`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_send_password_reset_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                          flx_error_t *FLX_NULLABLE error);

/**
 * Sets a new password with the token and the token id from a password reset email.
 *
 * Errors: SERVICE_ERROR if they are wrong or too old, or if the password is too short or too long.
 */
FLX_API void flx_app_reset_password(flx_app_t *FLX_NONNULL app, flx_string_t password, flx_string_t token,
                                    flx_string_t token_id, flx_completion_t FLX_NONNULL completion,
                                    void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_reset_password`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_reset_password_blocking(flx_app_t *FLX_NONNULL app, flx_string_t password,
                                                     flx_string_t token, flx_string_t token_id,
                                                     flx_error_t *FLX_NULLABLE error);

/**
 * Asks the server to call the app's password reset function.
 *
 * @param arguments a JSON array of further arguments for the function; empty for none.
 * Errors: INVALID_ARGUMENT if it is not a JSON array, USER_NOT_FOUND.
 */
FLX_API void flx_app_call_password_reset_function(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                  flx_string_t password, flx_string_t arguments,
                                                  flx_completion_t FLX_NONNULL completion,
                                                  void *FLX_NULLABLE userdata,
                                                  flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_app_call_password_reset_function`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_app_call_password_reset_function_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                                   flx_string_t password, flx_string_t arguments,
                                                                   flx_error_t *FLX_NULLABLE error);

/* Identities. */

/**
 * Adds an identity to a logged-in user, who can log in with it from then on. The user becomes the current one.
 *
 * The completion receives the same user. Errors: INVALID_ARGUMENT for anonymous credentials, INVALID_PASSWORD,
 * AUTH_PROVIDER_NOT_FOUND, and INVALID_SESSION, the answer of App Services, if the identity belongs to another user;
 * in that case the user remains logged in.
 */
FLX_API void flx_user_link(flx_user_t *FLX_NONNULL user, const flx_credentials_t *FLX_NONNULL credentials,
                           flx_user_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                           flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_link`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_link_blocking(flx_user_t *FLX_NONNULL user,
                                            const flx_credentials_t *FLX_NONNULL credentials,
                                            flx_error_t *FLX_NULLABLE error);

/** One identity of a user. */
typedef struct flx_user_identity {
  /** The user's id with the provider. */
  flx_string_t id;
  /** "anon-user", "local-userpass", "api-key", "custom-token" … */
  flx_string_t provider;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[2];
} flx_user_identity_t;

/**
 * Copies the identities of a user, as reported by the server at the last login or link. Works offline.
 *
 * @param out_count their number; 0 for a user who has been removed.
 * @return an array whose texts are in the same allocation. Free it with `flx_free`.
 */
FLX_API flx_user_identity_t *FLX_NONNULL flx_user_identities_copy(const flx_user_t *FLX_NONNULL user,
                                                                  size_t *FLX_NONNULL out_count);

/**
 * Copies what the providers say about the user ("name", "email", "first_name" …), as reported by the server at the
 * last login or link. Works offline.
 *
 * @return a zero-terminated JSON object in Extended JSON. Free it with `flx_free`.
 */
FLX_API char *FLX_NULLABLE flx_user_profile_copy(const flx_user_t *FLX_NONNULL user);

/* Custom data. */

/**
 * Copies the custom data of the user as of the last login or refresh. Works offline.
 *
 * @return a zero-terminated JSON object in Extended JSON; NULL if the user has none or is logged out. Free it with
 *   `flx_free`.
 */
FLX_API char *FLX_NULLABLE flx_user_custom_data_copy(const flx_user_t *FLX_NONNULL user);

/**
 * Fetches a new access token, and with it the newest custom data. Both are also renewed whenever a session needs a
 * token.
 */
FLX_API void flx_user_refresh_custom_data(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                                          void *FLX_NULLABLE userdata,
                                          flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_refresh_custom_data`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_refresh_custom_data_blocking(flx_user_t *FLX_NONNULL user,
                                                           flx_error_t *FLX_NULLABLE error);

/* API keys, with which a program can log in as the user (`FLX_CREDENTIALS_API_KEY`). */

/** An API key. */
typedef struct flx_api_key {
  flx_object_id_t id;
  flx_string_t name;
  /** The secret to log in with; empty except in the result of `flx_user_create_api_key`. */
  flx_string_t key;
  bool is_disabled;
  /** Zero. Room for members of later versions. */
  uint64_t reserved[4];
} flx_api_key_t;

/** Called with keys, or with an error and no keys. Both are borrowed for the call. Thread: the loop thread. */
typedef void (*flx_api_keys_completion_t)(void *FLX_NULLABLE userdata, const flx_api_key_t *FLX_NULLABLE keys,
                                          size_t count, const flx_error_t *FLX_NULLABLE error);

/**
 * Creates an API key. The completion receives one key, including its secret, which the server never reveals again.
 *
 * The blocking form returns memory that holds the key and its texts; free it with `flx_free`.
 * Errors: API_KEY_EXISTS.
 */
FLX_API void flx_user_create_api_key(flx_user_t *FLX_NONNULL user, flx_string_t name,
                                     flx_api_keys_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_create_api_key`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_create_api_key_blocking(flx_user_t *FLX_NONNULL user, flx_string_t name,
                                                      flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_key,
                                                      flx_error_t *FLX_NULLABLE error);

/**
 * Fetches one API key. The blocking form returns memory that holds the key and its texts; free it with `flx_free`.
 *
 * Errors: API_KEY_NOT_FOUND.
 */
FLX_API void flx_user_fetch_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                    flx_api_keys_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                    flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_fetch_api_key`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_fetch_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                     const flx_object_id_t *FLX_NONNULL id,
                                                     flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_key,
                                                     flx_error_t *FLX_NULLABLE error);

/**
 * Fetches all API keys of the user. The blocking form returns an array whose texts are in the same allocation; free
 * it with `flx_free`.
 */
FLX_API void flx_user_fetch_api_keys(flx_user_t *FLX_NONNULL user, flx_api_keys_completion_t FLX_NONNULL completion,
                                     void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_fetch_api_keys`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_fetch_api_keys_blocking(flx_user_t *FLX_NONNULL user,
                                                      flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_keys,
                                                      size_t *FLX_NONNULL out_count, flx_error_t *FLX_NULLABLE error);

/** Allows an API key to log in again. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_enable_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                     flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_enable_api_key`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_enable_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                      const flx_object_id_t *FLX_NONNULL id,
                                                      flx_error_t *FLX_NULLABLE error);

/** Prevents an API key from logging in until it is enabled again. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_disable_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                      flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                      flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_disable_api_key`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_disable_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                       const flx_object_id_t *FLX_NONNULL id,
                                                       flx_error_t *FLX_NULLABLE error);

/** Deletes an API key. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_delete_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                     flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_delete_api_key`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_delete_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                      const flx_object_id_t *FLX_NONNULL id,
                                                      flx_error_t *FLX_NULLABLE error);

/* Deleting an account. */

/**
 * Deletes the account on the server. The user is also removed from this device, and the user's default realm files
 * are deleted as soon as they are closed.
 */
FLX_API void flx_user_delete(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                             void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** Blocking form of `flx_user_delete`. Must not be called on the loop thread. */
FLX_API flx_status_t flx_user_delete_blocking(flx_user_t *FLX_NONNULL user, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
