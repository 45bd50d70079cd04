// SPDX-License-Identifier: Apache-2.0
import { OrderedCollection } from "./collections.js";
import { Aggregate, Type, WaitForSync as Wait } from "./enumerations.js";
import { STATE, completed, raw } from "./library.js";
import { fromNative, queryArguments, toIndex, toText } from "./values.js";

/** When `subscribe` waits until the data is on the device. */
export const WaitForSync = Object.freeze({
  /** If the subscription is new or its query has changed. */
  FirstTime: "first-time",
  /** Always, until the server's present data is on the device. */
  Always: "always",
  /** Never. */
  Never: "never",
});

const WAITS = { [WaitForSync.FirstTime]: Wait.ON_CREATION, [WaitForSync.Always]: Wait.ALWAYS, [WaitForSync.Never]: Wait.NEVER };

/** A timeout as the library has it, where 0 means none. */
export const milliseconds = (timeout) => (timeout === undefined ? 0 : Math.max(1, Math.round(timeout)));

/** Live results: the objects of a class that match a query, as they are now. */
export class Results extends OrderedCollection {
  constructor(realm, openClass, handle) {
    super(realm, { kind: "results", class: openClass, handle });
  }

  /** Always "object". */
  get type() {
    return "object";
  }

  _count() {
    return raw.flx_results_count(this[STATE].handle);
  }

  _get(index) {
    const { realm, class: openClass, handle } = this[STATE];
    return realm._object(openClass, raw.flx_results_get_object(handle, index));
  }

  _results() {
    return this;
  }

  #derived(handle) {
    return new Results(this[STATE].realm, this[STATE].class, handle);
  }

  isValid() {
    return !this[STATE].realm.isClosed && raw.flx_results_is_valid(this[STATE].handle);
  }

  /**
   * The objects that match a query in Realm Query Language, which may end with SORT, DISTINCT and LIMIT.
   * @param {...unknown} values of `$0`, `$1` …, which are never parsed as text.
   */
  filtered(query, ...values) {
    return this.#derived(raw.flx_results_filter(this[STATE].handle, toText(query, "a query"), queryArguments(values)));
  }

  /**
   * The objects in another order: `sorted("name")`, `sorted("name", true)` for descending, `sorted(["name", ["age", true]])`.
   */
  sorted(descriptor, isDescending = false) {
    const keys = (Array.isArray(descriptor) ? descriptor : [[descriptor, isDescending]]).map((one) => [one].flat());
    return this.#derived(raw.flx_results_sort(this[STATE].handle, keys.map(([path, descends]) => ({ key_path: toText(path, "a key path"), is_ascending: !descends }))));
  }

  /** One object for each combination of values at key paths. */
  distinct(...keyPaths) {
    return this.#derived(raw.flx_results_distinct(this[STATE].handle, keyPaths.map((path) => toText(path, "a key path"))));
  }

  /** The first objects. */
  limited(count) {
    return this.#derived(raw.flx_results_limit(this[STATE].handle, toIndex(count, "a number of objects")));
  }

  /** The results as they are now, and stay, in `realm.freeze()`. */
  snapshot() {
    const frozen = this[STATE].realm.freeze();
    const reference = raw.flx_results_make_reference(this[STATE].handle);
    const handle = raw.flx_realm_resolve_results(frozen._handle, reference);
    raw.flx_reference_release(reference);
    return new Results(frozen, frozen._class(this[STATE].class.name), handle);
  }

  #aggregate(aggregate, property) {
    const { realm, class: openClass, handle } = this[STATE];
    const result = raw.flx_results_aggregate(handle, aggregate, openClass.property(property).key);
    return fromNative(result, realm) ?? undefined;
  }

  min(property) {
    return this.#aggregate(Aggregate.MIN, property);
  }

  max(property) {
    return this.#aggregate(Aggregate.MAX, property);
  }

  sum(property) {
    return this.#aggregate(Aggregate.SUM, property);
  }

  avg(property) {
    return this.#aggregate(Aggregate.AVERAGE, property);
  }

  /** Sets a property of all objects. */
  update(property, value) {
    for (const one of this) one[property] = value;
  }

  /** The query as text, without sort, distinct and limit. */
  get description() {
    return raw.flx_results_predicate(this[STATE].handle);
  }

  /** How the results are found: the SQL statement, and the steps of SQLite's query plan. */
  explain() {
    return raw.flx_results_explain(this[STATE].handle);
  }

  // ---- subscriptions ----

  /**
   * Subscribes to the query. A subscription with the same name gets the new query.
   * @param {object} [options]
   * @param {string} [options.name] none for an unnamed subscription.
   * @param {string} [options.behavior] one of `WaitForSync`; `FirstTime` by default.
   * @param {number} [options.timeout] in ms. When it is over, the promise resolves; the subscription stays, and data comes.
   * @param {boolean} [options.throwOnTimeout] reject with TIMED_OUT instead.
   * @returns {Promise<Results>} these results.
   */
  async subscribe(options = {}) {
    const { name = null, behavior = WaitForSync.FirstTime, timeout, throwOnTimeout = false } = options;
    if (!(behavior in WAITS)) throw new TypeError(`'${behavior}' is not one of Realm.WaitForSync.`);
    const { realm, handle } = this[STATE];
    try {
      await realm._during(completed((completion) => raw.flx_results_subscribe(handle, name, WAITS[behavior], milliseconds(timeout), completion)));
    } catch (error) {
      if (error.code !== "TIMED_OUT" || throwOnTimeout) throw error;
    }
    realm._refreshIfOpen();
    return this;
  }

  /** Removes the subscription that these results made or, if there is none, an unnamed one with the same query. */
  unsubscribe() {
    raw.flx_results_unsubscribe(this[STATE].handle);
  }

  /** `unsubscribe`, with a promise that resolves when the objects that no other subscription brings have left the device. */
  async unsubscribeAndWait({ timeout } = {}) {
    const { realm, handle } = this[STATE];
    await realm._during(completed((completion) => raw.flx_results_unsubscribe_and_wait(handle, milliseconds(timeout), completion)));
    realm._refreshIfOpen();
  }

  /**
   * Whether the device has every object that matches, as of a version of the server.
   * @returns {{isComplete: boolean, serverVersion: number}}
   */
  completeness() {
    const found = raw.flx_results_get_completeness(this[STATE].handle);
    return { isComplete: found.is_complete, serverVersion: found.server_version };
  }
}
