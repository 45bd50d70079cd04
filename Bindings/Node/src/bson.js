// SPDX-License-Identifier: Apache-2.0
/** @file The types of values that JavaScript does not have. */
import { randomUUID } from "node:crypto";
import { Type } from "./enumerations.js";
import { STATE, raw } from "./library.js";

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

function equalBytes(left, right) {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** What ObjectId and UUID have in common: bytes, and their text in hexadecimal digits. */
class Bytes {
  constructor(bytes) {
    Object.defineProperty(this, STATE, { value: bytes });
  }

  /** A copy of the bytes. */
  get id() {
    return Uint8Array.from(this[STATE]);
  }

  /** Whether another value is the same. */
  equals(other) {
    return other instanceof this.constructor && equalBytes(this[STATE], other[STATE]);
  }

  toHexString() {
    return Buffer.from(this[STATE]).toString("hex");
  }

  toString() {
    return this.toHexString();
  }

  toJSON() {
    return this.toString();
  }

  [INSPECT]() {
    return `${this.constructor.name}("${this}")`;
  }
}

/** An ObjectId: twelve bytes, which are generated if none are given. */
export class ObjectId extends Bytes {
  /** @param {string | Uint8Array | ObjectId} [value] 24 hexadecimal digits, 12 bytes, or another one to copy. */
  constructor(value) {
    super(ObjectId.#bytes(value));
  }

  static #bytes(value) {
    if (value === undefined) return raw.flx_object_id_generate();
    if (value instanceof ObjectId) return value[STATE];
    if (value instanceof Uint8Array && value.length === 12) return Uint8Array.from(value);
    const parsed = typeof value === "string" ? raw.flx_object_id_parse(value) : undefined;
    if (!parsed) throw new TypeError(`'${value}' is not an ObjectId: it needs 24 hexadecimal digits or 12 bytes`);
    return parsed;
  }

  /** When it was generated, to the second. */
  getTimestamp() {
    return new Date(new DataView(this[STATE].buffer, this[STATE].byteOffset).getUint32(0) * 1000);
  }
}

/** A UUID, which is random if none is given. */
export class UUID extends Bytes {
  /** @param {string | Uint8Array | UUID} [value] */
  constructor(value = randomUUID()) {
    super(UUID.#bytes(value));
  }

  static #bytes(value) {
    if (value instanceof UUID) return value[STATE];
    if (value instanceof Uint8Array && value.length === 16) return Uint8Array.from(value);
    const digits = String(value).replaceAll("-", "");
    if (!/^[0-9a-f]{32}$/i.test(digits)) throw new TypeError(`'${value}' is not a UUID`);
    return Uint8Array.from(Buffer.from(digits, "hex"));
  }

  toString() {
    return this.toHexString().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}

/** A decimal number of up to 34 digits. */
export class Decimal128 {
  /** @param {string | number | bigint | Decimal128} value such as "-12.50" or "1.5E-3", "inf" or "nan" */
  constructor(value) {
    const parsed = value instanceof Decimal128 ? value[STATE] : raw.flx_decimal_parse(String(value));
    if (!parsed) throw new TypeError(`'${value}' is not a decimal number`);
    Object.defineProperty(this, STATE, { value: parsed });
  }

  static fromString(text) {
    return new Decimal128(text);
  }

  static #of(decimal) {
    const result = Object.create(Decimal128.prototype);
    Object.defineProperty(result, STATE, { value: decimal });
    return result;
  }

  /** Made from the words that the library has. */
  static _of(decimal) {
    return Decimal128.#of(decimal);
  }

  /** Negative, zero or positive: whether it is less than, equal to or greater than another one. */
  compare(other) {
    return raw.flx_decimal_compare(this[STATE], new Decimal128(other)[STATE]);
  }

  equals(other) {
    return this.compare(other) === 0;
  }

  plus(other) {
    return Decimal128.#of(raw.flx_decimal_add(this[STATE], new Decimal128(other)[STATE]));
  }

  minus(other) {
    return Decimal128.#of(raw.flx_decimal_subtract(this[STATE], new Decimal128(other)[STATE]));
  }

  times(other) {
    return Decimal128.#of(raw.flx_decimal_multiply(this[STATE], new Decimal128(other)[STATE]));
  }

  dividedBy(other) {
    return Decimal128.#of(raw.flx_decimal_divide(this[STATE], new Decimal128(other)[STATE]));
  }

  toString() {
    return raw.flx_decimal_format(this[STATE]);
  }

  toJSON() {
    return { $numberDecimal: this.toString() };
  }

  [INSPECT]() {
    return `Decimal128("${this}")`;
  }
}

/** The value of the library for one of these. */
export function nativeBson(value) {
  if (value instanceof ObjectId) return { type: Type.OBJECT_ID, value: value[STATE] };
  if (value instanceof UUID) return { type: Type.UUID, value: value[STATE] };
  if (value instanceof Decimal128) return { type: Type.DECIMAL, value: value[STATE] };
  return undefined;
}
