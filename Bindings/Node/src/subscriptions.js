// SPDX-License-Identifier: Apache-2.0
import { ObjectId } from "./bson.js";
import { NameConflict, SubscriptionState } from "./enumerations.js";
import { STATE, completed, namesOf, raw, requireNoPromise } from "./library.js";
import { Listeners } from "./observers.js";
import { milliseconds } from "./results.js";

/** The states of a subscription set. */
export const SubscriptionSetState = Object.freeze({
  /** Committed on the device; the server's data is not there yet. */
  Pending: "pending",
  /** The data that matched when the server processed the set is on the device. */
  Complete: "complete",
  /** The server has rejected the set; see `error`. The previous one stays in force. */
  Error: "error",
  /** A newer set took its place. */
  Superseded: "superseded",
});

const NAMES = namesOf(SubscriptionState);
const STATES = { COMPLETE: SubscriptionSetState.Complete, ERROR: SubscriptionSetState.Error, SUPERSEDED: SubscriptionSetState.Superseded };
const stateOf = (number) => STATES[NAMES[number]] ?? SubscriptionSetState.Pending;

/** A subscription: the objects of a class that match a query are on this device. It does not change. */
export class Subscription {
  constructor(info) {
    this.id = new ObjectId(info.id);
    /** The name; null for an unnamed subscription. */
    this.name = info.has_name ? info.name : null;
    /** The name of the class. */
    this.objectType = info.class_name;
    /** The query as text. */
    this.queryString = info.query;
    this.createdAt = info.created_at;
    this.updatedAt = info.updated_at;
    Object.freeze(this);
  }
}

/** What a set and its update have in common: subscriptions in the order in which they were added. */
class Subscriptions {
  constructor(realm, handle) {
    Object.defineProperty(this, STATE, { value: { realm, handle } });
  }

  get length() {
    return this._count();
  }

  get isEmpty() {
    return this._count() === 0;
  }

  *[Symbol.iterator]() {
    for (let index = 0; index < this._count(); index++) yield this._at(index);
  }

  /** The subscription at an index; undefined if there is none. */
  at(index) {
    return [...this].at(index);
  }

  map(callback) {
    return [...this].map(callback);
  }

  forEach(callback) {
    [...this].forEach(callback);
  }

  filter(callback) {
    return [...this].filter(callback);
  }

  /** The subscription with a name, or null. Unnamed ones are never found. */
  findByName(name) {
    return [...this].find((one) => one.name === name) ?? null;
  }

  /** The first subscription to the class and query of results, named or not, or null. */
  findByQuery(query) {
    const { class: { name } } = query[STATE];
    return [...this].find((one) => one.objectType === name && one.queryString === query.description) ?? null;
  }

  toJSON() {
    return [...this];
  }
}

/** The changes of a subscription set, in the function that is given to `update`. They take effect together. */
export class MutableSubscriptionSet extends Subscriptions {
  _count() {
    return raw.flx_subscription_update_count(this[STATE].handle);
  }

  _at(index) {
    return new Subscription(raw.flx_subscription_update_at(this[STATE].handle, index));
  }

  /**
   * Adds a subscription to the query of results. A subscription with the same name gets the new query; an unnamed one is
   * added once. The order of the results and `distinct` are ignored; results with a limit throw QUERY_INVALID, because the
   * server would send everything that the condition matches.
   * @param {import("./results.js").Results} query
   * @param {object} [options]
   * @param {string} [options.name] none for an unnamed subscription.
   * @param {boolean} [options.throwOnUpdate] throw SUBSCRIPTION_EXISTS if the name is taken by another query.
   * @param {boolean} [options.throwIfExists] throw it even if the name is taken by the same query.
   * @returns {Subscription}
   */
  add(query, { name = null, throwOnUpdate = false, throwIfExists = false } = {}) {
    const existing = name === null ? null : this.findByName(name);
    const isSame = existing?.objectType === query[STATE].class.name && existing.queryString === query.description;
    const conflict = throwIfExists || (throwOnUpdate && !isSame) ? NameConflict.FAIL : NameConflict.REPLACE;
    try {
      raw.flx_subscription_update_add(this[STATE].handle, query[STATE].handle, name, conflict);
    } catch (error) {
      // The library names functions of C.
      if (error.code === "SUBSCRIPTION_EXISTS") {
        const option = throwIfExists ? "throwIfExists" : "throwOnUpdate";
        error.message = `A subscription named '${name}' already exists. To change its query, leave out '${option}', or use updateQuery.`;
      }
      throw error;
    }
    return name === null ? this.findByQuery(query) : this.findByName(name);
  }

  /** Gives a subscription another query of the same class. Its id, name and time of creation stay. */
  updateQuery(subscription, query) {
    raw.flx_subscription_update_set_query(this[STATE].handle, subscription.id.id, query[STATE].handle);
  }

  /** Removes the first subscription to the class and query of results. Returns whether there was one. */
  remove(query) {
    return raw.flx_subscription_update_remove_results(this[STATE].handle, query[STATE].handle);
  }

  /** Removes the subscription with a name. Returns whether there was one. */
  removeByName(name) {
    return raw.flx_subscription_update_remove_named(this[STATE].handle, name);
  }

  /** Removes a subscription. Returns whether it was in the set. */
  removeSubscription(subscription) {
    return raw.flx_subscription_update_remove(this[STATE].handle, subscription.id.id);
  }

  /** Removes all subscriptions to a class. Returns how many there were. */
  removeByObjectType(objectType) {
    return raw.flx_subscription_update_remove_class(this[STATE].handle, this[STATE].realm._class(objectType).name);
  }

  /** Removes all subscriptions. Returns how many there were. */
  removeAll() {
    return raw.flx_subscription_update_remove_all(this[STATE].handle, false);
  }

  /** Removes all subscriptions without a name. Returns how many there were. */
  removeUnnamed() {
    return raw.flx_subscription_update_remove_all(this[STATE].handle, true);
  }
}

/**
 * The subscriptions of a realm: `realm.subscriptions`. Its subscriptions change only through its own `update`; the state is
 * always the present one.
 */
export class SubscriptionSet extends Subscriptions {
  constructor(realm, handle = raw.flx_subscription_set_get_latest(realm._handle)) {
    super(realm, handle);
  }

  _count() {
    return raw.flx_subscription_set_count(this[STATE].handle);
  }

  _at(index) {
    return new Subscription(raw.flx_subscription_set_at(this[STATE].handle, index));
  }

  /** The version: 0 for the empty set of a new file, and one more with each update. */
  get version() {
    return raw.flx_subscription_set_version(this[STATE].handle);
  }

  /** One of `SubscriptionSetState`. */
  get state() {
    raw.flx_subscription_set_refresh(this[STATE].handle);
    return stateOf(raw.flx_subscription_set_state(this[STATE].handle));
  }

  /** The server's message if it has rejected the set; otherwise null. */
  get error() {
    return this.state === SubscriptionSetState.Error ? raw.flx_subscription_set_error_message(this[STATE].handle) : null;
  }

  /**
   * Changes the subscriptions in a function, which must not be async. When this returns, the changes are on the disk; the
   * promise resolves when the data is on the device, as that of `waitForSynchronization`.
   * @param {(mutableSubs: MutableSubscriptionSet, realm: import("./realm.js").Realm) => void} callback
   */
  async update(callback) {
    this.updateNoWait(callback);
    await this.waitForSynchronization();
  }

  /** `update` without waiting for the data. Returns what the function returns. */
  updateNoWait(callback) {
    const { realm } = this[STATE];
    const update = raw.flx_subscription_update_begin(realm._handle);
    let result;
    try {
      result = callback(new MutableSubscriptionSet(realm, update), realm);
      requireNoPromise(result, "update");
    } catch (error) {
      raw.flx_subscription_update_cancel(update);
      throw error;
    }
    this[STATE].handle = raw.flx_subscription_update_commit(update);
    return result;
  }

  /**
   * Waits until the data of this version is on the device.
   *
   * It rejects with SUBSCRIPTION_FAILED and the server's message, SUBSCRIPTION_SUPERSEDED, SESSION_INACTIVE or TIMED_OUT.
   * @param {{timeout?: number}} [options] in ms; by default it waits as long as it takes.
   */
  async waitForSynchronization({ timeout } = {}) {
    const { realm, handle } = this[STATE];
    await realm._during(completed((completion) => raw.flx_subscription_set_wait(handle, milliseconds(timeout), completion)));
    realm._refreshIfOpen();
  }

  /** Calls a function with each state that this version reaches, beginning with the present one. */
  addStateListener(listener) {
    const { realm, handle } = this[STATE];
    const listeners = (this[STATE].listeners ??= new Listeners(realm));
    listeners.add(listener, () => raw.flx_subscription_set_observe(handle, (state) => listener(stateOf(state))));
  }

  removeStateListener(listener) {
    this[STATE].listeners?.remove(listener);
  }
}
