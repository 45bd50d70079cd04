/* SPDX-License-Identifier: Apache-2.0 */
/** @file Types and macros shared by all parts of the C interface. */
#ifndef FLEXSYNC_BASE_H
#define FLEXSYNC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLX_VERSION_MAJOR 0
#define FLX_VERSION_MINOR 1
#define FLX_VERSION_PATCH 0
#define FLX_VERSION_NUMBER (FLX_VERSION_MAJOR * 1000000 + FLX_VERSION_MINOR * 1000 + FLX_VERSION_PATCH)

#if defined(__GNUC__) || defined(__clang__)
#define FLX_API __attribute__((visibility("default")))
#else
#define FLX_API
#endif

#if defined(__clang__)
#define FLX_NONNULL _Nonnull
#define FLX_NULLABLE _Nullable
#define FLX_ENUM __attribute__((enum_extensibility(open)))
#else
#define FLX_NONNULL
#define FLX_NULLABLE
#define FLX_ENUM
#endif

/* Nullability is a Clang extension; programs compiled pedantically should get no warnings about it. */
#if defined(__clang__)
#define FLX_QUIET_BEGIN \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")
#define FLX_QUIET_END _Pragma("clang diagnostic pop")
#else
#define FLX_QUIET_BEGIN
#define FLX_QUIET_END
#endif

#ifdef __cplusplus
#define FLX_BEGIN_DECLS FLX_QUIET_BEGIN extern "C" {
#define FLX_END_DECLS \
  }                   \
  FLX_QUIET_END
#else
#define FLX_BEGIN_DECLS FLX_QUIET_BEGIN
#define FLX_END_DECLS FLX_QUIET_END
#endif

FLX_BEGIN_DECLS

/** UTF-8 text, or bytes. Not zero-terminated; `data` may be NULL only if `size` is 0. */
typedef struct flx_string {
  const char *FLX_NULLABLE data;
  size_t size;
} flx_string_t;

/** Makes a `flx_string_t` from a string literal. */
#ifdef __cplusplus
#define FLX_STRING(literal) (flx_string_t{(literal), sizeof(literal) - 1})
#else
#define FLX_STRING(literal) ((flx_string_t){(literal), sizeof(literal) - 1})
#endif

/** Frees the `userdata` of a callback. Any thread. */
typedef void (*flx_free_userdata_t)(void *FLX_NULLABLE userdata);

/** An app on a server, with its users on this device (app.h). Any thread. */
typedef struct flx_app flx_app_t;
/** A user of an app (app.h, account.h). Any thread. */
typedef struct flx_user flx_user_t;
/** An open realm (realm.h). */
typedef struct flx_realm flx_realm_t;
/** An object of a realm (object.h). */
typedef struct flx_object flx_object_t;
/** A live list of a property or in a mixed value (object.h). */
typedef struct flx_list flx_list_t;
/** A live set of a property (collection.h). */
typedef struct flx_set flx_set_t;
/** A live dictionary of a property or in a mixed value (collection.h). */
typedef struct flx_dictionary flx_dictionary_t;
/** A query that was checked against a class (query.h). */
typedef struct flx_query flx_query_t;
/** Live results of a query (query.h). */
typedef struct flx_results flx_results_t;
/** Keeps an observation, or a request to write, alive; see `flx_notification_token_release`. */
typedef struct flx_notification_token flx_notification_token_t;
/** A version of the subscription set of a realm (subscription.h). */
typedef struct flx_subscription_set flx_subscription_set_t;
/** An update of a subscription set that is not committed yet (subscription.h). */
typedef struct flx_subscription_update flx_subscription_update_t;
/** The sync session of a realm (session.h). Any thread. */
typedef struct flx_session flx_session_t;
/** A reference to something in a realm, for another thread (reference.h). Any thread. */
typedef struct flx_reference flx_reference_t;

/** The version of the loaded library as text, such as "0.1.0". Static memory. Any thread. */
FLX_API const char *FLX_NONNULL flx_version(void);

/** The version of the loaded library, encoded like `FLX_VERSION_NUMBER`. Any thread. */
FLX_API int32_t flx_version_number(void);

FLX_END_DECLS

#endif
