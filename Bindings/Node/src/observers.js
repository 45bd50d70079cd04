// SPDX-License-Identifier: Apache-2.0
/** @file Listeners of objects, collections and realms. Nothing here is API. */
import { raw } from "./library.js";
import { toText } from "./values.js";

/** The listeners of one object or collection, each with the token that keeps the library telling. */
export class Listeners {
  #tokens = new Map();

  /** @param realm the realm, which keeps the tokens alive. */
  constructor(realm) {
    this.realm = realm;
  }

  add(listener, start) {
    if (typeof listener !== "function") throw new TypeError("A listener is a function.");
    if (this.#tokens.has(listener)) return;
    const token = start();
    this.#tokens.set(listener, token);
    this.realm._keep(token);
    this.realm._notifySoon();
  }

  has(listener) {
    return this.#tokens.has(listener);
  }

  remove(listener) {
    const token = this.#tokens.get(listener);
    this.#tokens.delete(listener);
    if (token) this.#end(token);
  }

  removeAll() {
    for (const token of this.#tokens.values()) this.#end(token);
    this.#tokens.clear();
  }

  #end(token) {
    this.realm._forget(token);
    raw.flx_notification_token_release(token);
  }
}

/** The index before the change of an element that has one after it. */
function oldIndex(index, insertions, deletions) {
  let result = index - insertions.filter((one) => one < index).length;
  for (const one of deletions) if (one <= result) result += 1;
  return result;
}

/** Changes of a collection as listeners get them. */
export function collectionChanges({ deletions, insertions, modifications }) {
  return {
    deletions,
    insertions,
    newModifications: modifications,
    oldModifications: modifications.map((one) => oldIndex(one, insertions, deletions)),
  };
}

/** Starts observing with the function for all changes, or with the one for key paths. */
export function observe(kind, handle, keyPaths, callback) {
  const paths = keyPaths === undefined ? [] : [keyPaths].flat().map((path) => toText(path, "a key path"));
  return paths.length
    ? raw[`flx_${kind}_observe_key_paths`](handle, paths, callback)
    : raw[`flx_${kind}_observe`](handle, callback);
}
