// SPDX-License-Identifier: Apache-2.0
/** @file Values between programs and the library. Nothing here is API. */
import { Decimal128, ObjectId, UUID, nativeBson } from "./bson.js";
import { Status, Type } from "./enumerations.js";
import { FlexSyncError } from "./errors.js";
import { STATE, isPlain, raw } from "./library.js";

const EXPECTED = {
  [Type.INT]: "an integer of 64 bits", [Type.BOOL]: "a boolean", [Type.STRING]: "a string", [Type.BINARY]: "an ArrayBuffer or a view of one",
  [Type.TIMESTAMP]: "a Date", [Type.FLOAT]: "a number", [Type.DOUBLE]: "a number", [Type.DECIMAL]: "a Decimal128",
  [Type.LINK]: "an object of the realm", [Type.OBJECT_ID]: "an ObjectId", [Type.UUID]: "a UUID", [Type.MIXED]: "a value that can be stored",
};

/** What a program has given, for messages. */
export function described(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `${typeof value} ${String(value)}`;
  return isInvalidDate(value) ? "an invalid Date" : `an instance of ${value.constructor?.name ?? "Object"}`;
}

export function mismatch(info, value) {
  return new TypeError(`Expected '${info.where}' to be ${EXPECTED[info.type]}, got ${described(value)}`);
}

const isInvalidDate = (value) => value instanceof Date && Number.isNaN(value.getTime());
const isValidDate = (value) => value instanceof Date && !isInvalidDate(value);
const fits = (value) => BigInt.asIntN(64, value) === value;

/** An integer as the library takes it; undefined if it is none, or needs more than 64 bits. */
function integer(value) {
  const result = Number.isInteger(value) ? BigInt(value) : value;
  return typeof result === "bigint" && fits(result) ? result : undefined;
}

export const isBinary = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
const isManaged = (value) => typeof value === "object" && value !== null && value[STATE]?.objectHandle !== undefined;

function link(value) {
  return { type: Type.LINK, value: raw.flx_object_link(value[STATE].objectHandle) };
}

/** How values of a type are stored; undefined if a value has another type. */
const CONVERTERS = {
  [Type.INT]: integer,
  [Type.BOOL]: (value) => (typeof value === "boolean" ? value : undefined),
  [Type.STRING]: (value) => (typeof value === "string" ? value : undefined),
  [Type.BINARY]: (value) => (isBinary(value) ? { type: Type.BINARY, value } : undefined),
  [Type.TIMESTAMP]: (value) => (isValidDate(value) ? value : undefined),
  [Type.FLOAT]: (value) => (typeof value === "number" ? { type: Type.FLOAT, value } : undefined),
  [Type.DOUBLE]: (value) => (typeof value === "number" ? value : undefined),
  [Type.DECIMAL]: (value) => nativeBson(["number", "string", "bigint"].includes(typeof value) ? new Decimal128(value) : value),
  [Type.LINK]: (value) => (isManaged(value) ? link(value) : undefined),
  [Type.OBJECT_ID]: (value) => (value instanceof ObjectId ? nativeBson(value) : undefined),
  [Type.UUID]: (value) => (value instanceof UUID ? nativeBson(value) : undefined),
  [Type.MIXED]: mixed,
};

function mixed(value) {
  if (typeof value === "bigint") return integer(value);
  if (["boolean", "string", "number"].includes(typeof value) || isValidDate(value)) return value;
  if (isBinary(value)) return { type: Type.BINARY, value };
  if (isManaged(value)) return link(value);
  return nativeBson(value);
}

/** A value for a property or an element of a collection. */
export function toNative(value, info) {
  if (value === null || value === undefined) return null;
  const result = CONVERTERS[info.type](value);
  if (result === undefined) throw mismatch(info, value);
  return result;
}

/** An index, which must not be left out: the library takes what is missing as 0. */
export function toIndex(value, what = "an index") {
  if (!Number.isSafeInteger(value)) throw new TypeError(`Expected ${what} to be an integer, got ${described(value)}`);
  if (value < 0) throw new FlexSyncError(Status.INDEX_OUT_OF_BOUNDS, "INDEX_OUT_OF_BOUNDS", `Expected ${what} that is not negative, got ${value}`);
  return value;
}

/** A text that is no value of a property: a query, a key path, a key. */
export function toText(value, what) {
  if (typeof value !== "string") throw new TypeError(`Expected ${what} to be a string, got ${described(value)}`);
  return value;
}

/** An integer that is no value of a property. */
export function toInteger(value, what) {
  const result = integer(value);
  if (result === undefined) throw new TypeError(`Expected ${what} to be ${EXPECTED[Type.INT]}, got ${described(value)}`);
  return result;
}

/** A value of a query, whose type nobody knows beforehand: numbers without a fraction are integers. */
function queryValue(value) {
  if (value === null || value === undefined) return null;
  if (Number.isSafeInteger(value)) return BigInt(value);
  const result = mixed(value);
  if (result === undefined) throw new TypeError(`An argument of the query is not a value that can be stored: ${described(value)}.`);
  return result;
}

/** The arguments of a query. */
export function queryArguments(values) {
  return values.map((one) => (isList(one)
    ? { is_list: true, values: [...one].map(queryValue) }
    : { is_list: false, values: [queryValue(one)] }));
}

const isList = (value) => Array.isArray(value) || value instanceof Set || value?.[STATE]?.isCollection === true;

/** Whether a value becomes a list or a dictionary when it is stored in a mixed property. */
export const nestedKind = (value) => {
  if (Array.isArray(value) || value?.[STATE]?.isList) return "list";
  return isPlain(value) || value?.[STATE]?.isDictionary ? "dictionary" : undefined;
};

/** A value of the library for the program. `nested` makes a collection of a mixed value. */
export function fromNative(value, realm, nested) {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  switch (value.type) {
    case Type.BINARY: return value.value.buffer;
    case Type.DECIMAL: return Decimal128._of(value.value);
    case Type.OBJECT_ID: return new ObjectId(value.value);
    case Type.UUID: return new UUID(value.value);
    case Type.LINK: return realm._linked(value.value);
    default: return nested(value.type);
  }
}
