/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file What belongs to an account: email and password, API keys, identities, profile, custom data.
 *
 * All functions here may be called from any thread. Those with a completion ask the server; all of them can also fail with
 * SERVICE_ERROR, CONNECTION_FAILED, TLS_FAILED, BAD_RESPONSE and TIMED_OUT, and those of a user with USER_LOGGED_OUT,
 * USER_NOT_FOUND (the user was removed from this device) and INVALID_SESSION (the server does not accept the login any
 * more: the user is logged out now). `flx_error_t.server_code` says what the server calls the error.
 */
#ifndef FLEXSYNC_ACCOUNT_H
#define FLEXSYNC_ACCOUNT_H

#include "app.h"
#include "value.h"

FLX_BEGIN_DECLS

/* Email and password. Registering is `flx_app_register_email`. */

/**
 * Confirms an account with the token and the token id of the confirmation mail.
 *
 * Errors: SERVICE_ERROR if they are wrong or too old, USER_ALREADY_CONFIRMED.
 */
FLX_API void flx_app_confirm_email(flx_app_t *FLX_NONNULL app, flx_string_t token, flx_string_t token_id,
                                   flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                   flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_confirm_email` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_confirm_email_blocking(flx_app_t *FLX_NONNULL app, flx_string_t token,
                                                    flx_string_t token_id, flx_error_t *FLX_NULLABLE error);

/** Has the confirmation mail sent again. Errors: USER_NOT_FOUND, USER_ALREADY_CONFIRMED. */
FLX_API void flx_app_resend_confirmation(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                         flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                         flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_resend_confirmation` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_resend_confirmation_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                          flx_error_t *FLX_NULLABLE error);

/** Has the confirmation function of the app called again. Errors: USER_NOT_FOUND, USER_ALREADY_CONFIRMED. */
FLX_API void flx_app_retry_confirmation_function(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                 flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                                 flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_retry_confirmation_function` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_retry_confirmation_function_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                                  flx_error_t *FLX_NULLABLE error);

/** Has a mail sent with which the password can be reset. Errors: USER_NOT_FOUND, if the server tells. */
FLX_API void flx_app_send_password_reset(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                         flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                         flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_send_password_reset` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_send_password_reset_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                          flx_error_t *FLX_NULLABLE error);

/**
 * Sets a new password with the token and the token id of a reset mail.
 *
 * Errors: SERVICE_ERROR if they are wrong or too old, or if the password is too short or too long.
 */
FLX_API void flx_app_reset_password(flx_app_t *FLX_NONNULL app, flx_string_t password, flx_string_t token,
                                    flx_string_t token_id, flx_completion_t FLX_NONNULL completion,
                                    void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_reset_password` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_reset_password_blocking(flx_app_t *FLX_NONNULL app, flx_string_t password,
                                                     flx_string_t token, flx_string_t token_id,
                                                     flx_error_t *FLX_NULLABLE error);

/**
 * Has the password reset function of the app called.
 *
 * @param arguments a JSON array of what else the function gets; empty for none.
 * Errors: INVALID_ARGUMENT if it is no JSON array, USER_NOT_FOUND.
 */
FLX_API void flx_app_call_password_reset_function(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                  flx_string_t password, flx_string_t arguments,
                                                  flx_completion_t FLX_NONNULL completion,
                                                  void *FLX_NULLABLE userdata,
                                                  flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_app_call_password_reset_function` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_app_call_password_reset_function_blocking(flx_app_t *FLX_NONNULL app, flx_string_t email,
                                                                   flx_string_t password, flx_string_t arguments,
                                                                   flx_error_t *FLX_NULLABLE error);

/* Identities. */

/**
 * Adds an identity to a logged-in user, who can log in with it from then on. The user becomes the current one.
 *
 * The completion gets the same user. Errors: INVALID_ARGUMENT for anonymous credentials, INVALID_PASSWORD,
 * AUTH_PROVIDER_NOT_FOUND; INVALID_SESSION, which is what App Services answers, if the identity belongs to another user: then the
 * user is still logged in.
 */
FLX_API void flx_user_link(flx_user_t *FLX_NONNULL user, const flx_credentials_t *FLX_NONNULL credentials,
                           flx_user_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                           flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_link` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_link_blocking(flx_user_t *FLX_NONNULL user,
                                            const flx_credentials_t *FLX_NONNULL credentials,
                                            flx_error_t *FLX_NULLABLE error);

/** One identity of a user. */
typedef struct flx_user_identity {
  /** The provider's id of the user. */
  flx_string_t id;
  /** "anon-user", "local-userpass", "api-key", "custom-token" … */
  flx_string_t provider;
} flx_user_identity_t;

/**
 * Copies the identities of a user, as the server told them at the last login or link; offline, too.
 *
 * @param out_count their number; 0 for a user who was removed.
 * @return an array, with the texts in the same memory. Give it back with `flx_free`.
 */
FLX_API flx_user_identity_t *FLX_NONNULL flx_user_identities_copy(const flx_user_t *FLX_NONNULL user,
                                                                  size_t *FLX_NONNULL out_count);

/**
 * Copies what the providers tell about the user ("name", "email", "first_name" …), as the server told it at the last login
 * or link; offline, too.
 *
 * @return a JSON object in Extended JSON with a terminating zero. Give it back with `flx_free`.
 */
FLX_API char *FLX_NULLABLE flx_user_profile_copy(const flx_user_t *FLX_NONNULL user);

/* Custom data. */

/**
 * Copies the custom data of the user, as they were at the last login or refresh; offline, too.
 *
 * @return a JSON object in Extended JSON with a terminating zero; NULL if the user has none or is logged out. Give it back
 *   with `flx_free`.
 */
FLX_API char *FLX_NULLABLE flx_user_custom_data_copy(const flx_user_t *FLX_NONNULL user);

/** Gets a new access token, and the newest custom data with it. They are also renewed whenever a session needs a token. */
FLX_API void flx_user_refresh_custom_data(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                                          void *FLX_NULLABLE userdata,
                                          flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_refresh_custom_data` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_refresh_custom_data_blocking(flx_user_t *FLX_NONNULL user,
                                                           flx_error_t *FLX_NULLABLE error);

/* API keys, with which a program can log in as the user (`FLX_CREDENTIALS_API_KEY`). */

/** An API key. */
typedef struct flx_api_key {
  flx_object_id_t id;
  flx_string_t name;
  /** The secret to log in with; empty except in the answer to `flx_user_create_api_key`. */
  flx_string_t key;
  bool is_disabled;
} flx_api_key_t;

/** Called with keys that are borrowed for the call, or with an error that is, too; then there are none. Loop thread. */
typedef void (*flx_api_keys_completion_t)(void *FLX_NULLABLE userdata, const flx_api_key_t *FLX_NULLABLE keys,
                                          size_t count, const flx_error_t *FLX_NULLABLE error);

/**
 * Makes an API key. The completion gets one key, with the secret, which the server never tells again.
 *
 * The blocking form gives memory that holds the key and its texts; give it back with `flx_free`.
 * Errors: API_KEY_EXISTS.
 */
FLX_API void flx_user_create_api_key(flx_user_t *FLX_NONNULL user, flx_string_t name,
                                     flx_api_keys_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_create_api_key` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_create_api_key_blocking(flx_user_t *FLX_NONNULL user, flx_string_t name,
                                                      flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_key,
                                                      flx_error_t *FLX_NULLABLE error);

/**
 * Reads one API key. The blocking form gives memory that holds the key and its texts; give it back with `flx_free`.
 *
 * Errors: API_KEY_NOT_FOUND.
 */
FLX_API void flx_user_fetch_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                    flx_api_keys_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                    flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_fetch_api_key` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_fetch_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                     const flx_object_id_t *FLX_NONNULL id,
                                                     flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_key,
                                                     flx_error_t *FLX_NULLABLE error);

/**
 * Reads all API keys of the user. The blocking form gives an array with the texts in the same memory; give it back with
 * `flx_free`.
 */
FLX_API void flx_user_fetch_api_keys(flx_user_t *FLX_NONNULL user, flx_api_keys_completion_t FLX_NONNULL completion,
                                     void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_fetch_api_keys` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_fetch_api_keys_blocking(flx_user_t *FLX_NONNULL user,
                                                      flx_api_key_t *FLX_NULLABLE *FLX_NONNULL out_keys,
                                                      size_t *FLX_NONNULL out_count, flx_error_t *FLX_NULLABLE error);

/** Lets an API key log in again. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_enable_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                     flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_enable_api_key` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_enable_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                      const flx_object_id_t *FLX_NONNULL id,
                                                      flx_error_t *FLX_NULLABLE error);

/** Lets an API key not log in any more, until it is enabled. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_disable_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                      flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                      flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_disable_api_key` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_disable_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                       const flx_object_id_t *FLX_NONNULL id,
                                                       flx_error_t *FLX_NULLABLE error);

/** Deletes an API key. Errors: API_KEY_NOT_FOUND. */
FLX_API void flx_user_delete_api_key(flx_user_t *FLX_NONNULL user, const flx_object_id_t *FLX_NONNULL id,
                                     flx_completion_t FLX_NONNULL completion, void *FLX_NULLABLE userdata,
                                     flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_delete_api_key` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_delete_api_key_blocking(flx_user_t *FLX_NONNULL user,
                                                      const flx_object_id_t *FLX_NONNULL id,
                                                      flx_error_t *FLX_NULLABLE error);

/* The end of an account. */

/**
 * Deletes the account on the server. The user is forgotten, too, and the user's default realm files are deleted as soon as
 * they are closed.
 */
FLX_API void flx_user_delete(flx_user_t *FLX_NONNULL user, flx_completion_t FLX_NONNULL completion,
                             void *FLX_NULLABLE userdata, flx_free_userdata_t FLX_NULLABLE free_userdata);

/** `flx_user_delete` that blocks. Not to be called on the loop thread. */
FLX_API flx_status_t flx_user_delete_blocking(flx_user_t *FLX_NONNULL user, flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
