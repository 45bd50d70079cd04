/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Frozen realms, which stay on one version of the data, and invalidating everything obtained from a realm.
 *
 * Freeze an object, a collection or results by making a reference to it (reference.h) and resolving that in the frozen
 * realm; resolve a reference that was made in the frozen realm in a live one to get what it has become.
 *
 * Frozen realms have no thread of their own. Several threads may use one and everything obtained from it, also
 * simultaneously: a call waits until those of other threads have returned. Borrowed text and bytes are valid
 * until the next call of any thread on the same handle. If several threads share a handle, take `flx_realm_lock`
 * before the call and keep it until you have used or copied them.
 */
#ifndef FLEXSYNC_FROZEN_H
#define FLEXSYNC_FROZEN_H

#include "query.h"
#include "realm.h"

FLX_BEGIN_DECLS

/**
 * Returns a realm that stays on the data that this one shows; within a write transaction, the data as of its beginning. A
 * frozen realm returns itself, and realms that show the same version return the same frozen realm.
 *
 * Writing and observing the frozen realm fail with UNSUPPORTED; `flx_realm_refresh` succeeds and does nothing. The file
 * keeps the data, and grows with what is written in the meantime, until the frozen realm and everything obtained from it
 * were released. It does not keep the file syncing. It has the classes of `realm`, as far as the version has them; classes
 * that the version lacks cannot be added.
 *
 * If another process has opened the file and written to it since `realm` was refreshed for the last time, and `realm` was
 * not notified of either, the frozen realm may show that, too.
 *
 * Errors: OBJECT_INVALIDATED for a closed realm, IO if the data are outdated and their snapshot could not be kept.
 * Thread: the realm's.
 *
 * @param out_frozen released by the caller.
 */
FLX_API flx_status_t flx_realm_freeze(flx_realm_t *FLX_NONNULL realm,
                                      flx_realm_t *FLX_NULLABLE *FLX_NONNULL out_frozen,
                                      flx_error_t *FLX_NULLABLE error);

/** Whether the realm is frozen, or shows the data from before a client reset or a migration; only one from
 * `flx_realm_freeze` may be used by several threads. Thread: any. */
FLX_API bool flx_realm_is_frozen(const flx_realm_t *FLX_NONNULL realm);

/**
 * Makes other threads wait with their calls on a frozen realm, and on everything obtained from it, until
 * `flx_realm_unlock`. The same thread may take it several times. No effect on other realms. Thread: any.
 */
FLX_API void flx_realm_lock(flx_realm_t *FLX_NONNULL realm);

/** Ends what `flx_realm_lock` began, once for each of its calls. Thread: the one that has called it. */
FLX_API void flx_realm_unlock(flx_realm_t *FLX_NONNULL realm);

/**
 * Invalidates all objects and collections obtained from the realm, empties its results, and moves to the newest data, so
 * that the file need not keep older ones. A write transaction is canceled. Observers of what was invalidated are not
 * called any more. The realm itself remains usable.
 *
 * Errors: OBJECT_INVALIDATED for a closed realm, UNSUPPORTED for a frozen one. Thread: the realm's.
 */
FLX_API flx_status_t flx_realm_invalidate(flx_realm_t *FLX_NONNULL realm, flx_error_t *FLX_NULLABLE error);

/** Whether the realm of the results is open and was not invalidated since they were created. Thread: the realm's. */
FLX_API bool flx_results_is_valid(flx_results_t *FLX_NONNULL results);

FLX_END_DECLS

#endif
