/* SPDX-License-Identifier: Apache-2.0 */
/** @file Status codes and errors. */
#ifndef FLEXSYNC_ERROR_H
#define FLEXSYNC_ERROR_H

#include "base.h"

FLX_BEGIN_DECLS

/**
 * All status codes: XX(name, number, meaning). The enumeration below is generated from this table, and a test checks
 * that the library's names and meanings agree with it. Numbers never change their meaning within a major version.
 */
#define FLX_STATUS_MAP(XX)                                                                              \
  XX(OK, 0, "success")                                                                                  \
  XX(INVALID_ARGUMENT, 1, "an argument is not valid")                                                   \
  XX(UNSUPPORTED, 2, "the operation is not supported")                                                  \
  XX(INTERNAL, 3, "an internal invariant was violated; please report it")                               \
  XX(CANCELED, 4, "the operation was canceled")                                                         \
  XX(TIMED_OUT, 5, "the operation did not finish in time")                                              \
  /* files */                                                                                           \
  XX(IO, 100, "reading or writing a file failed")                                                       \
  XX(DISK_FULL, 101, "the disk is full")                                                                \
  XX(BUSY, 102, "another writer held the file for too long")                                            \
  XX(NOT_A_DATABASE, 103, "the file is not a FlexSync file")                                            \
  XX(CORRUPT, 104, "the file is damaged")                                                               \
  XX(PERMISSION_DENIED, 105, "access to the file or folder was denied")                                 \
  XX(ALREADY_OPEN, 106, "the realm is open")                                                            \
  XX(MULTIPLE_SYNC_AGENTS, 107, "another process syncs the file; close the realm there and try again")  \
  XX(INCOMPATIBLE_FILE, 108, "the file has another user, app or kind of realm, or a newer format")      \
  XX(FILE_EXISTS, 109, "a file of that name already exists")                                            \
  /* schema and objects */                                                                              \
  XX(SCHEMA_MISMATCH, 200, "the schema conflicts with the one in the file")                             \
  XX(NO_SUCH_CLASS, 201, "the class does not exist")                                                    \
  XX(NO_SUCH_PROPERTY, 202, "the property does not exist")                                              \
  XX(TYPE_MISMATCH, 203, "the value and the property have different types")                             \
  XX(NULL_NOT_ALLOWED, 204, "the property is required")                                                 \
  XX(DUPLICATE_PRIMARY_KEY, 205, "an object with this primary key already exists")                      \
  XX(OBJECT_INVALIDATED, 206, "the object was deleted, or its realm closed")                            \
  XX(INDEX_OUT_OF_BOUNDS, 207, "the index is out of bounds")                                            \
  XX(NOT_IN_WRITE_TRANSACTION, 208, "the operation needs a write transaction")                          \
  XX(IN_WRITE_TRANSACTION, 209, "the operation is not possible in a write transaction")                 \
  XX(VALUE_TOO_LARGE, 210, "the value is too large")                                                    \
  XX(WRONG_THREAD, 211, "another thread is using the realm")                                            \
  XX(INVALID_SCHEMA_VERSION, 212, "the schema version is not one that the file can have")               \
  /* queries */                                                                                         \
  XX(QUERY_SYNTAX, 300, "the query has a syntax error")                                                 \
  XX(QUERY_INVALID, 301, "the query does not match the schema")                                         \
  XX(QUERY_ARGUMENT, 302, "a query argument is missing or not valid")                                   \
  /* subscriptions */                                                                                   \
  XX(NOT_SYNCED, 400, "the realm was not configured with flexible sync")                                \
  XX(NO_SUBSCRIPTION_FOR_WRITE, 401, "the class has no subscription")                                   \
  XX(SUBSCRIPTION_EXISTS, 402, "a subscription with that name already exists")                          \
  XX(SUBSCRIPTION_NOT_FOUND, 403, "the subscription does not exist")                                    \
  XX(SUBSCRIPTION_CLASS_MISMATCH, 404, "the subscription is for another class")                         \
  XX(SUBSCRIPTION_FAILED, 405, "the server rejected the subscription set")                              \
  XX(SUBSCRIPTION_SUPERSEDED, 406, "a newer subscription set replaced this one")                        \
  XX(SUBSCRIPTION_UPDATE_OPEN, 407, "the subscription set is already being updated")                    \
  /* network, app and users */                                                                          \
  XX(CONNECTION_FAILED, 500, "the server could not be reached")                                         \
  XX(TLS_FAILED, 501, "the secure connection could not be established")                                 \
  XX(BAD_RESPONSE, 502, "the server's response was not understood")                                     \
  XX(SERVICE_ERROR, 503, "the server reported an error")                                                \
  XX(INVALID_PASSWORD, 504, "the email or the password is wrong")                                       \
  XX(ACCOUNT_NAME_IN_USE, 505, "an account with that name already exists")                              \
  XX(USER_NOT_FOUND, 506, "the user does not exist")                                                    \
  XX(INVALID_SESSION, 507, "the user must log in again")                                                \
  XX(USER_LOGGED_OUT, 508, "the user is logged out")                                                    \
  XX(APP_NOT_FOUND, 509, "the server has no app with that id")                                          \
  XX(AUTH_PROVIDER_NOT_FOUND, 510, "the app does not let users log in this way")                        \
  XX(USER_DISABLED, 511, "the user is disabled on the server")                                          \
  XX(USER_ALREADY_CONFIRMED, 512, "the account is already confirmed")                                   \
  XX(API_KEY_NOT_FOUND, 513, "the user has no API key with that id")                                    \
  XX(API_KEY_EXISTS, 514, "the user already has an API key with that name")                             \
  /* sync sessions */                                                                                   \
  XX(SESSION_INACTIVE, 600, "the sync session became inactive")                                         \
  XX(SESSION_FAILED, 601, "the server ended the sync session")                                          \
  XX(WRITE_REJECTED, 602, "the server reverted writes")                                                 \
  XX(CLIENT_RESET, 603, "the file must be reset")                                                       \
  XX(SERVER_WARNING, 604, "the server sent a warning")                                                  \
  XX(PROTOCOL_ERROR, 605, "the server broke the protocol")                                              \
  XX(CLIENT_RESET_FAILED, 606, "a client reset failed; the file is created anew when it is next opened")

/** The status of a call: OK, or the kind of failure. Numbers and meanings are those of `FLX_STATUS_MAP`. */
typedef enum FLX_ENUM flx_status FLX_INT32 {
#define XX(name, number, meaning) FLX_STATUS_##name = number,
  FLX_STATUS_MAP(XX)
#undef XX
} flx_status_t;

/** The capacity of `flx_error_t.message`, including the terminating zero. */
#define FLX_ERROR_MESSAGE_CAPACITY 1024

/** The capacity of `flx_error_t.server_code`, including the terminating zero. */
#define FLX_ERROR_SERVER_CODE_CAPACITY 64

/** The capacity of `flx_error_t.server_log_url`, including the terminating zero. */
#define FLX_ERROR_URL_CAPACITY 512

/** An error, in memory of the caller (usually on its stack). */
typedef struct flx_error {
  flx_status_t status;
  /** A more specific code, or 0: from SQLite for files, HTTP for apps, the sync protocol for sessions. */
  int32_t code;
  /** A message that says what happened, to what, and what to do about it: zero-terminated UTF-8, truncated to fit. */
  char message[FLX_ERROR_MESSAGE_CAPACITY];
  /** The server's name for the error of an app's request, such as "AuthProviderNotFound"; empty if there is none. */
  char server_code[FLX_ERROR_SERVER_CODE_CAPACITY];
  /** The URL of the server's log of an app's failed request; empty if the server gives none or it does not fit. */
  char server_log_url[FLX_ERROR_URL_CAPACITY];
  /** Zero. Room for members of later versions. */
  uint64_t reserved[8];
} flx_error_t;

/**
 * The name of a status without its prefix, such as "DISK_FULL"; "UNKNOWN" for any other number. Static memory. Any
 * thread.
 */
FLX_API const char *FLX_NONNULL flx_status_name(flx_status_t status);

/** The general meaning of a status in one sentence. Static memory. Any thread. */
FLX_API const char *FLX_NONNULL flx_status_meaning(flx_status_t status);

/**
 * Called when a background operation has ended.
 *
 * @param error NULL on success; otherwise borrowed for the duration of the call.
 * Thread: the loop thread of the app (see `flx_app_config_t.loop_mode`), or for a local realm a thread that the
 * library creates. Never called within the call that started the operation, except in the child of a `fork`.
 */
typedef void (*flx_completion_t)(void *FLX_NULLABLE userdata, const flx_error_t *FLX_NULLABLE error);

FLX_END_DECLS

#endif
