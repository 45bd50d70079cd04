/* SPDX-License-Identifier: Apache-2.0 */
/**
 * FlexSync: an offline-first object database on SQLite that keeps in sync with a server.
 *
 * This header and its parts are the public contract of `libflexsync`.
 *
 * Rules that hold everywhere
 *
 * - Every function that can fail returns a `flx_status_t` (0 is success) and fills the `flx_error_t` that the caller
 *   may pass. There is no hidden "last error". Output parameters are written only on success, unless said otherwise.
 * - Ownership is in the name: a handle from `_create`, `_open`, `_begin`, `_find`, `_get_…` through an output parameter of
 *   type `flx_…_t **`, or from `_retain`, belongs to the caller, who gives it back with the `_release` of its type.
 *   Everything else is borrowed for as long as its comment says. All `_release` functions accept NULL.
 * - A handle is no address: it uses all 64 bits of the pointer, and nothing but this library can do anything with it. Compare
 *   handles, keep them and pass them, but do not follow, cut or mark them.
 * - Releasing gives one reference back; the thing itself goes with the last reference of the program and of other things
 *   that need it. Three do more: `flx_realm_release` closes the realm, a released token ends its observation, and
 *   `flx_subscription_update_cancel` and `_commit` end an update. Releasing never waits for another thread or for a
 *   callback, and may free userdata before it returns.
 * - Text and bytes go in as `{data, size}`; they need no terminating zero and are copied if they are kept.
 * - A realm and everything obtained from it (objects, lists, results, subscription sets, tokens) is confined to one
 *   thread at a time: the caller may hand it from thread to thread, but must not use it from two at once. While one
 *   is in a call, or has a write transaction open, the functions fail with WRONG_THREAD on others, and those without a status
 *   that would read what is being changed end the process with a message. With `flx_realm_config_t.may_change_thread_in_write`
 *   an open write transaction alone keeps nobody away. What was obtained from a realm may be released on any thread, also
 *   while another one uses the realm; the realm itself on any while none is in a call. `flx_app_t`, `flx_user_t` and
 *   `flx_session_t` may be used from any thread. A thread needs 64 KiB of stack.
 * - The comment of a callback names its thread. Observers of a realm and of what was obtained from it are
 *   called on the thread that is in `flx_realm_refresh`, `_begin_write` or `_commit_write` of that realm. Completions and
 *   observers of sessions are called on the loop thread of the app: the library's own, or the one that pumps it or runs
 *   the host's loop; those of local realms on a thread that the library makes for them.
 * - A handle that is NULL where one is needed, of another type, or released before ends the process: a message on standard
 *   error names function and argument, then comes `abort`. No freed memory is read. Only a handle that one thread releases
 *   while another is in a call with it is not noticed.
 * - Where another pointer or a callback must not be NULL and is, functions with a status fail with INVALID_ARGUMENT before
 *   they do anything; the others end the process in the same way. The address of an array may be NULL if its count is 0.
 * - After `fork`, the child cannot use what its parent used: functions with a status fail with UNSUPPORTED,
 *   completions get this error before the function that takes them returns, releasing, retaining and replacing a callback
 *   do nothing, and other functions that take a handle end the process with a message. None of them waits for a lock,
 *   unless the parent forked while another thread called the library for the first time. The child may call `exec`. A
 *   process may fork before it uses the library, and use it in its children.
 * - Each callback comes with `void *userdata` and an optional function that frees it, called exactly once when the
 *   callback cannot be called any more, on whichever thread drops it last, also if the call that took it fails. The library
 *   holds no lock of its own while it calls the program, except for the initial subscriptions of a file.
 */
#ifndef FLEXSYNC_H
#define FLEXSYNC_H

#include "flexsync/base.h"
#include "flexsync/error.h"
#include "flexsync/value.h"
#include "flexsync/schema.h"
#include "flexsync/app.h"
#include "flexsync/account.h"
#include "flexsync/realm.h"
#include "flexsync/object.h"
#include "flexsync/collection.h"
#include "flexsync/mixed.h"
#include "flexsync/query.h"
#include "flexsync/embedded.h"
#include "flexsync/subscription.h"
#include "flexsync/session.h"
#include "flexsync/rejected_write.h"

#endif
