/* SPDX-License-Identifier: Apache-2.0 */
/**
 * FlexSync: an offline-first object database on SQLite that syncs with a server.
 *
 * This header and the headers it includes are the public contract of `libflexsync`.
 *
 * General rules
 *
 * - The headers are for C11 and C++11, or later, with GCC or Clang.
 * - Every function that can fail returns a `flx_status_t` (0 is success) and fills in the `flx_error_t` if the caller
 *   passes one. There is no hidden "last error". On success the error is left as it is: look at the returned status,
 *   not at `error.status`. Output parameters are written only on success unless stated otherwise.
 * - Besides the statuses that their comments list, the functions of a realm and of anything obtained from it can fail
 *   with WRONG_THREAD, with OBJECT_INVALIDATED once the realm is closed, and with IO, DISK_FULL, BUSY, CORRUPT or
 *   PERMISSION_DENIED if the file cannot be read or written.
 * - Ownership: a handle that a function returns through an output parameter of type `flx_…_t **`, whatever the
 *   function is called, or from a `_retain` function, belongs to the caller, who must release it with the `_release`
 *   function of its type. Functions that return an owned handle directly say so. Handles passed to callbacks, except
 *   the user that a `flx_user_completion_t` receives, and text and bytes, are borrowed for as long as the comment says.
 *   Every `_release` function accepts NULL.
 * - Looking for what is not there is no failure: a handle is then NULL, an index SIZE_MAX, and a `bool` that says whether
 *   it was found false. A name that the schema lacks is an error, and so is a position out of range, unless the function
 *   returns a handle: then that is NULL.
 * - In comments, "null" is a value of type FLX_TYPE_NULL, and NULL is a pointer. Statuses are named without their
 *   prefix: DISK_FULL is FLX_STATUS_DISK_FULL. Times are in milliseconds where the name ends in `_ms`. "Protocol §"
 *   refers to the chapters of Docs/Protocol in the repository.
 * - A handle is not an address: it uses all 64 bits of the pointer and means something only to this library. Handles
 *   may be compared, stored and passed around, but must not be dereferenced, truncated or tagged.
 * - Releasing a handle drops one reference; the object is destroyed once neither the program nor any other object
 *   refers to it. Retaining adds one; an update alone cannot be retained. Three releases do more: `flx_realm_release`
 *   closes the realm, releasing a token ends its observation, both when it is the last reference of the program, and
 *   `flx_subscription_update_cancel` and `_commit` end an update. Releasing never waits for another thread or for a
 *   callback, and may free userdata before it returns.
 * - Text and bytes are passed as `{data, size}`. They need no terminating zero, and the library copies what it keeps.
 * - A realm and everything obtained from it (objects, lists, results, subscription sets, tokens) are confined to one
 *   thread at a time: the caller may move them between threads, but must not use them from two threads at once. While
 *   one thread is in a call or has a write transaction open, functions called on another thread fail with
 *   WRONG_THREAD; those that return no status and would read data that is being changed end the process with a
 *   message. With `flx_realm_config_t.may_change_thread_in_write`, an open write transaction alone does not exclude
 *   other threads. Anything obtained from a realm may be released on any thread, even while another thread is using
 *   the realm; the realm itself may be released on any thread while no thread is in a call with it. `flx_app_t`,
 *   `flx_user_t`, `flx_session_t` and `flx_reference_t` may be used from any thread. So may a frozen realm and
 *   everything obtained from it, even by several threads at once (frozen.h). A thread that calls the library needs
 *   64 KiB of stack.
 * - The comment of each callback names its thread. Observers of a realm, and of anything obtained from it, are called
 *   on the thread that is in `flx_realm_refresh`, `_notify`, `_begin_write`, `_commit_write`, `_commit_write_silently`,
 *   `_invalidate` or `_resolve_…` of that realm. Completions and
 *   session observers are called on the loop thread of the app: the library's own thread, the one that pumps the app,
 *   or the one that runs the host's loop. Completions for local realms are called on a thread that the library
 *   creates for them. Blocking functions fail with INVALID_ARGUMENT on the loop thread, and with CANCELED while the
 *   process is exiting.
 * - Passing a NULL handle where one is required, a handle of another type, or a handle that has been released ends
 *   the process: the library writes a message that names the function and the argument to standard error, or passes it to
 *   the handler of `flx_set_misuse_handler`, and calls `abort`. No freed memory is read. The one misuse that goes
 *   undetected is a handle that one thread releases while another is in a call with it.
 * - If any other pointer or a callback is NULL and must not be, functions that return a status fail with
 *   INVALID_ARGUMENT before doing anything; the others end the process in the same way. The address of an array may
 *   be NULL if its count is 0.
 * - After `fork`, the child cannot use anything that its parent used: functions that return a status fail with
 *   UNSUPPORTED; completions receive this error before the function that takes them returns; releasing, retaining and
 *   replacing a callback do nothing; and other functions that take a handle end the process with a message. None of
 *   them waits for a lock, unless the parent forked while another thread was calling the library for the first time.
 *   The child may call `exec`. A process may fork before it uses the library and then use it in its children.
 * - The interface grows without breaking programs: one that was compiled for this version runs with every later library of
 *   the same SONAME. Functions, statuses and enumerators are added, and none changes its meaning; be prepared for numbers
 *   that the program does not know. A struct with `struct_size` gets members at its end: the library reads and writes only
 *   as much as the program has. A struct with `reserved` keeps its size, and new members take that room: zero all of a
 *   struct that the program fills in, as initializers do; a library that does not know such a member refuses it with
 *   INVALID_ARGUMENT. Structs that only the library makes and lends to a callback may get longer; do not copy them by
 *   assignment. `flx_string_t`, `flx_value_t` and the structs in it, and `flx_http_header_t` never change. Every
 *   enumeration has 32 bits.
 * - Each callback comes with a `void *userdata` and an optional function that frees it. That function is called
 *   exactly once, when the callback can no longer be called, on whichever thread drops the last reference, even if
 *   the call that took the userdata fails. The library holds none of its own locks while it calls the program, except
 *   for the initial subscriptions of a file.
 */
#ifndef FLEXSYNC_H
#define FLEXSYNC_H

#include "flexsync/base.h"
#include "flexsync/error.h"
#include "flexsync/value.h"
#include "flexsync/column.h"
#include "flexsync/schema.h"
#include "flexsync/migration.h"
#include "flexsync/app.h"
#include "flexsync/account.h"
#include "flexsync/service.h"
#include "flexsync/realm.h"
#include "flexsync/object.h"
#include "flexsync/collection.h"
#include "flexsync/mixed.h"
#include "flexsync/query.h"
#include "flexsync/embedded.h"
#include "flexsync/reference.h"
#include "flexsync/frozen.h"
#include "flexsync/subscription.h"
#include "flexsync/session.h"
#include "flexsync/rejected_write.h"

#ifdef __cplusplus
#define FLX_CHECK_ENUM(type) static_assert(sizeof(type) == 4, "enumerations of FlexSync have 32 bits")
#else
#define FLX_CHECK_ENUM(type) _Static_assert(sizeof(type) == 4, "enumerations of FlexSync have 32 bits")
#endif
FLX_CHECK_ENUM(flx_status_t);
FLX_CHECK_ENUM(flx_type_t);
FLX_CHECK_ENUM(flx_collection_t);
FLX_CHECK_ENUM(flx_class_kind_t);
FLX_CHECK_ENUM(flx_schema_mode_t);
FLX_CHECK_ENUM(flx_loop_mode_t);
FLX_CHECK_ENUM(flx_credentials_kind_t);
FLX_CHECK_ENUM(flx_user_state_t);
FLX_CHECK_ENUM(flx_log_level_t);
FLX_CHECK_ENUM(flx_watch_event_t);
FLX_CHECK_ENUM(flx_client_reset_mode_t);
FLX_CHECK_ENUM(flx_open_mode_t);
FLX_CHECK_ENUM(flx_link_state_t);
FLX_CHECK_ENUM(flx_aggregate_t);
FLX_CHECK_ENUM(flx_subscription_state_t);
FLX_CHECK_ENUM(flx_name_conflict_t);
FLX_CHECK_ENUM(flx_wait_for_sync_t);
FLX_CHECK_ENUM(flx_session_state_t);
FLX_CHECK_ENUM(flx_connection_state_t);
FLX_CHECK_ENUM(flx_direction_t);
FLX_CHECK_ENUM(flx_rejected_write_state_t);
#undef FLX_CHECK_ENUM

#endif
