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

#if defined(_WIN32)
#define FLX_API __declspec(dllimport)
#elif defined(__GNUC__) || defined(__clang__)
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

/* Every enumeration has 32 bits. Where the language cannot say so, flexsync.h checks it: -fshort-enums is refused. */
#if defined(__cplusplus) || defined(__clang__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define FLX_INT32 : int32_t
#else
#define FLX_INT32
#endif

/* Programs compiled pedantically should get no warnings about what the headers use of Clang's extensions. */
#if defined(__clang__)
#define FLX_QUIET_BEGIN                                                                              \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")    \
      _Pragma("clang diagnostic ignored \"-Wpragmas\"")                                              \
          _Pragma("clang diagnostic ignored \"-Wunknown-warning-option\"")                           \
              _Pragma("clang diagnostic ignored \"-Wfixed-enum-extension\"")                         \
                  _Pragma("clang diagnostic ignored \"-Wc23-extensions\"")
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

/** Initializes a `flx_string_t` with a string literal, also in static storage. */
#define FLX_STRING_INIT(literal) {(literal), sizeof(literal) - 1}

/** Makes a `flx_string_t` from a string literal. Not for static storage in C; see FLX_STRING_INIT. */
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

/**
 * The number of handles that have not been released, including those that callbacks borrow at the moment and those that
 * other handles keep. For tests that look for leaks: it is 0 once the program has released everything and the library has
 * ended what runs in the background. Any thread.
 */
FLX_API size_t flx_instance_count(void);

/**
 * Called before the process is ended because of misuse: a NULL handle, one of another type, one that has been released, or
 * use by two threads at once.
 *
 * @param function the name of the function that was misused, zero-terminated.
 * @param message what is wrong, zero-terminated. Both are borrowed for the call.
 * Thread: the one that misuses the library, inside that call. The function must not call the library. When it returns, the
 * library calls `abort`.
 */
typedef void (*flx_misuse_handler_t)(void *FLX_NULLABLE userdata, const char *FLX_NONNULL function,
                                     const char *FLX_NONNULL message);

/**
 * Sets the function that reports misuse, for the whole process, instead of a message on standard error; NULL restores
 * that. `userdata` must remain valid until another handler is set and no other thread is in a call. Any thread.
 */
FLX_API void flx_set_misuse_handler(flx_misuse_handler_t FLX_NULLABLE handler, void *FLX_NULLABLE userdata);

FLX_END_DECLS

#endif
