// SPDX-License-Identifier: Apache-2.0
/** @file Calling the library. Nothing here is API. */
import { createRequire } from "node:module";
import { errorWith } from "./errors.js";

/** The functions of the C contract. */
export const raw = createRequire(import.meta.url)("../build/flexsync.node");

raw.setErrorFactory(errorWith);

/** The key under which objects keep what they are made of. */
export const STATE = Symbol("flexsync");

/** A promise for an operation of which `start` gets the completion. `result` makes what the promise resolves to. */
export function completed(start, result = () => undefined) {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : settle(resolve, reject, result)));
  });
}

/** A promise for an operation whose completion gets a result and an error. */
export function completedWith(start, result) {
  return new Promise((resolve, reject) => {
    start((value, error) => (error ? reject(error) : settle(resolve, reject, () => result(value))));
  });
}

function settle(resolve, reject, result) {
  try {
    resolve(result());
  } catch (error) {
    reject(error);
  }
}

/** Whether a value is an object with properties of its own, and not one of a class that stands for something else. */
export function isPlain(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Refuses functions that return before they have done everything. */
export function requireNoPromise(result, name) {
  if (!(result instanceof Promise)) return;
  result.catch(() => {}); // What it does later cannot succeed, and the caller is told here.
  throw new TypeError(`The function of '${name}' has returned a promise, but what it changes takes effect when it returns. Let it return nothing, and await before '${name}' what it needs.`);
}

/** An enumeration turned around: names by values. */
export function namesOf(enumeration, shape = (name) => name) {
  return Object.fromEntries(Object.entries(enumeration).map(([name, value]) => [value, shape(name)]));
}

/** "OUT_OF_VIEW" as "outOfView". */
export function camelCase(name) {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
