// SPDX-License-Identifier: Apache-2.0
import { RejectedWriteState } from "./enumerations.js";
import { STATE, camelCase, namesOf, raw } from "./library.js";
import { Listeners, collectionChanges } from "./observers.js";
import { fromNative } from "./values.js";

const STATES = namesOf(RejectedWriteState, camelCase);

/** A write that the server has reverted. */
export class RejectedWrite {
  constructor(info) {
    this.id = info.id;
    this.objectType = info.class_name;
    this.primaryKey = fromNative(info.primary_key);
    /** The reason that the server gives. */
    this.reason = info.reason;
    /** "kept", or "resubmitted" until the server has answered again. */
    this.state = STATES[info.state];
    this.writtenAt = info.written_at;
    this.rejectedAt = info.rejected_at;
    /** Whether it can be resubmitted. */
    this.hasChanges = info.has_changes;
    Object.freeze(this);
  }
}

/** The writes of a realm that the server has reverted, oldest first: `realm.rejectedWrites`. */
export class RejectedWrites {
  constructor(realm) {
    Object.defineProperty(this, STATE, { value: { realm, listeners: new Listeners(realm) } });
  }

  get length() {
    return [...this].length;
  }

  at(index) {
    return [...this].at(index);
  }

  *[Symbol.iterator]() {
    const writes = raw.flx_rejected_writes_get(this[STATE].realm._handle);
    const count = raw.flx_rejected_writes_count(writes);
    const found = Array.from({ length: count }, (_, index) => new RejectedWrite(raw.flx_rejected_writes_at(writes, index)));
    raw.flx_rejected_writes_release(writes);
    yield* found;
  }

  /** Makes a write again, as part of the open transaction, which may change more to make the server accept it. */
  resubmit(write) {
    raw.flx_rejected_write_resubmit(this[STATE].realm._handle, write.id);
  }

  /** Discards a write. Returns whether it was there. */
  discard(write) {
    return raw.flx_rejected_write_discard(this[STATE].realm._handle, write.id);
  }

  /** Calls a function with these and the changes, by indexes. */
  addListener(listener) {
    const { realm, listeners } = this[STATE];
    listeners.add(listener, () => raw.flx_rejected_writes_observe(realm._handle, (changes) => listener(this, collectionChanges(changes))));
  }

  removeListener(listener) {
    this[STATE].listeners.remove(listener);
  }
}
