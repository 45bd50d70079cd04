// SPDX-License-Identifier: Apache-2.0
import { nativeBson } from "./bson.js";
import { RealmCollection } from "./collections.js";
import { Configuration, OpenRealmBehaviorType, OpenRealmTimeOutBehavior } from "./configuration.js";
import { ClassKind, LogLevel, OpenMode } from "./enumerations.js";
import { FlexSyncError } from "./errors.js";
import { STATE, completed, namesOf, raw, requireNoPromise } from "./library.js";
import { RealmObject, prototypeFor, set } from "./objects.js";
import { Listeners } from "./observers.js";
import { RejectedWrites } from "./rejected.js";
import { Results, milliseconds } from "./results.js";
import { openClasses } from "./schema.js";
import { SyncSession } from "./session.js";
import { SubscriptionSet } from "./subscriptions.js";
import { described, isBinary, toNative } from "./values.js";

/** What `realm.create` does if there is an object with the same primary key. */
export const UpdateMode = Object.freeze({
  /** Throw DUPLICATE_PRIMARY_KEY. */
  Never: "never",
  /** Set the given properties whose values differ. */
  Modified: "modified",
  /** Set the given properties. */
  All: "all",
});

const LOG_LEVELS = namesOf(LogLevel, (name) => name.toLowerCase());

/**
 * An open realm: objects in a file of this device, which may sync with a server.
 *
 *     const realm = await Realm.open({ path: "tasks.realm", schema: [Task] });
 *     realm.write(() => realm.create(Task, { _id: new Realm.BSON.ObjectId(), taskName: "Write the report" }));
 *     for (const task of realm.objects(Task).filtered("completed == false")) console.log(task.taskName);
 *     realm.close();
 *
 * A realm and what was obtained from it belong to the thread that has opened it. A realm shows the newest data from one turn of
 * Node's loop to the next; other devices' and other realms' changes appear in between.
 */
export class Realm {
  #handle;
  #configuration;
  #classes;
  #prototypes = new Map();
  #isBorrowed;
  #listeners = new Listeners(this);
  #tokens = new Set();
  #release = () => {};

  // ---- opening ----

  /**
   * Opens a realm with the data on this device. With `sync`, syncing begins in the background.
   *
   * It throws errors with the codes IO, PERMISSION_DENIED, NOT_A_DATABASE, CORRUPT, SCHEMA_MISMATCH, INVALID_SCHEMA_VERSION,
   * INCOMPATIBLE_FILE, ALREADY_OPEN, USER_LOGGED_OUT, and what the functions of the configuration throw.
   * @param {object | string} [config] see `Realm.Configuration` in index.d.ts, or a path.
   */
  constructor(config, handle, isBorrowed = false) {
    this.#configuration = config instanceof Configuration ? config : new Configuration(config);
    this.#isBorrowed = isBorrowed;
    this.#handle = handle ?? this.#opened();
    this.#readClasses();
    /** The path of the file. */
    this.path = raw.flx_realm_path(this.#handle);
    if (!this.#isBorrowed) this.#begin();
  }

  #opened() {
    return raw.flx_realm_open(this.#configuration.native(lend));
  }

  #begin() {
    if (raw.flx_realm_is_frozen(this.#handle)) return;
    const weak = new WeakRef(this);
    raw.flx_realm_set_changed_callback(this.#handle, () => weak.deref()?._notifySoon());
    const { core } = this.#configuration;
    if (!core) return;
    core.realms.add(this);
    const release = core.hold();
    this.#release = () => {
      core.realms.delete(this);
      release();
    };
  }

  /**
   * Opens a realm. A synced one waits for the server as `sync.newRealmFileBehavior` and `sync.existingRealmFileBehavior` say;
   * by default it downloads everything that the subscriptions bring. The promise has `progress(callback)`.
   * @returns {Promise<Realm>}
   */
  static open(config) {
    const callbacks = [];
    const progress = ({ transferred_bytes: done, transferrable_bytes: all, estimate }) => callbacks.forEach((one) => one(done, all, estimate));
    const promise = Realm.#open(config, progress);
    promise.progress = (callback) => {
      callbacks.push(callback);
      return promise;
    };
    return promise;
  }

  static async #open(config, progress) {
    const configuration = new Configuration(config);
    const { sync } = configuration.given;
    if (sync) await Realm.#download(configuration, sync, progress);
    return new Realm(configuration);
  }

  static async #download(configuration, sync, progress) {
    const { core, fileExists } = configuration;
    const behavior = (fileExists ? sync.existingRealmFileBehavior : sync.newRealmFileBehavior) ?? {};
    if (behavior.type === OpenRealmBehaviorType.OpenImmediately) return;
    const mode = fileExists ? OpenMode.DOWNLOAD_ALWAYS : OpenMode.DOWNLOAD_ONCE;
    core.opening.add(configuration);
    try {
      await core.during(completed((completion) => raw.flx_realm_open_async(
        configuration.native(lend, progress), mode, milliseconds(behavior.timeOut), completion)));
    } catch (error) {
      if (error.code !== "TIMED_OUT" || behavior.timeOutBehavior !== OpenRealmTimeOutBehavior.OpenLocalRealm) throw error;
    } finally {
      core.opening.delete(configuration);
    }
  }

  /** Closes the realm, and cancels an open transaction. Its objects and results become invalid. */
  close() {
    if (this.isClosed || this.#isBorrowed) return;
    const handle = this.#handle;
    this.#handle = undefined;
    this.#tokens.clear();
    raw.flx_realm_release(handle);
    this.#release();
  }

  get isClosed() {
    return this.#handle === undefined;
  }

  get _handle() {
    this._requireOpen();
    return this.#handle;
  }

  get _configuration() {
    return this.#configuration;
  }

  _requireOpen() {
    if (this.isClosed) throw new FlexSyncError(206, "OBJECT_INVALIDATED", `The realm ${this.path} is closed.`);
  }

  /** Keeps the process alive until a promise is settled. */
  _during(promise) {
    const { core } = this.#configuration;
    return core ? core.during(promise) : promise;
  }

  // ---- the file ----

  /** Deletes the files of a realm that is not open. */
  static deleteFile(config) {
    raw.flx_realm_delete_files(new Configuration(config).place);
  }

  /** Whether the file of a realm exists. */
  static exists(config) {
    return new Configuration(config).fileExists;
  }

  /** Writes a compact copy to a new file, synced if the configuration has `sync`. */
  writeCopyTo(config) {
    raw.flx_realm_write_copy(this._handle, new Configuration(config).place);
  }

  /** Lets through log lines that are at least as severe: "all", "trace", "debug", "detail", "info", "warn", "error", "fatal", "off". */
  static setLogLevel(level) {
    Realm.#logLevel = LogLevel[level.toUpperCase()];
    Realm.setLogger(Realm.#logger);
  }

  static #logLevel = LogLevel.WARN;
  static #logger;

  /** Sends the log of the process to a function with a level and a message; without one, to standard error. */
  static setLogger(logger) {
    Realm.#logger = logger;
    raw.flx_set_logger(Realm.#logLevel, logger && ((level, message) => logger(LOG_LEVELS[level], message)));
  }

  // ---- classes ----

  #readClasses() {
    this.#classes = openClasses(this.#handle, this.#configuration.declared);
  }

  /** A class by name, or as a class of the program. */
  _class(type) {
    const name = typeof type === "string" ? type : type?.schema?.name;
    const found = this.#classes.byName.get(name);
    if (!found && typeof type?.name === "string" && this.#classes.byName.has(type.name)) {
      throw new TypeError(`Expected a class or the name '${type.name}', got its schema`);
    }
    if (!found) throw new FlexSyncError(201, "NO_SUCH_CLASS", `Object type '${name ?? type}' not found in schema.`);
    return found;
  }

  _classes() {
    return [...this.#classes.byName.values()];
  }

  #classWithKey(key) {
    if (!this.#classes.byKey.has(key)) this.#readClasses();
    return this.#classes.byKey.get(key);
  }

  /** The classes of the realm. */
  get schema() {
    return this._classes().map((one) => one.schema);
  }

  /** The version of the schema; 0 for a file that was never given one. */
  get schemaVersion() {
    const version = raw.flx_realm_schema_version(this._handle);
    return typeof version === "bigint" ? 0 : version;
  }

  // ---- transactions ----

  /**
   * Runs a function in a transaction, which is undone if the function throws. Once this returns, what was written survives the
   * end of the process at any moment; it is uploaded in the background.
   * @returns what the function returns.
   */
  write(callback) {
    if (typeof callback !== "function") throw new TypeError(`Expected what 'write' calls to be a function, got ${described(callback)}`);
    this.beginTransaction();
    try {
      const result = callback(this);
      requireNoPromise(result, "write");
      if (this.isInTransaction) this.commitTransaction();
      return result;
    } catch (error) {
      if (!this.isClosed && this.isInTransaction) this.cancelTransaction();
      throw error;
    }
  }

  beginTransaction() {
    raw.flx_realm_begin_write(this._handle);
  }

  commitTransaction() {
    raw.flx_realm_commit_write(this._handle);
  }

  cancelTransaction() {
    raw.flx_realm_cancel_write(this._handle);
  }

  get isInTransaction() {
    return !this.isClosed && raw.flx_realm_is_in_write(this.#handle);
  }

  // ---- objects ----

  /** All objects of a class, in the order of insertion, as live results. */
  objects(type) {
    const openClass = this._class(type);
    return new Results(this, openClass, raw.flx_results_create(this._handle, openClass.key));
  }

  /** The object with a primary key, or null. */
  objectForPrimaryKey(type, key) {
    const openClass = this._class(type);
    if (!openClass.primaryKey) throw new TypeError(`'${openClass.name}' does not have a primary key`);
    const handle = raw.flx_object_find(this._handle, openClass.key, toNative(key, openClass.primaryKey));
    return handle && this._object(openClass, handle);
  }

  /**
   * Creates an object, and those that it contains or links to. Properties without a value get their default or, if they are
   * required, the zero of their type.
   * @param {string} [mode] one of `UpdateMode`.
   */
  create(type, values = {}, mode = UpdateMode.Never) {
    const openClass = this._class(type);
    if (openClass.isEmbedded) throw new TypeError(`Embedded objects such as '${openClass.name}' are created by setting the property that holds them.`);
    this._requireValues(openClass, values);
    const given = this._valuesOf(values);
    const { handle, isNew } = this.#created(openClass, given, mode);
    this._fill(handle, openClass, given, isNew ? UpdateMode.Never : mode, mode);
    return this._object(openClass, handle);
  }

  #created(openClass, values, mode) {
    const { primaryKey } = openClass;
    if (!primaryKey) return { handle: raw.flx_object_create(this._handle, openClass.key, null), isNew: true };
    const key = toNative(values[primaryKey.name] ?? defaultOf(openClass, primaryKey.name), primaryKey);
    try {
      return { handle: raw.flx_object_create(this._handle, openClass.key, key), isNew: true };
    } catch (error) {
      if (mode === UpdateMode.Never || error.code !== "DUPLICATE_PRIMARY_KEY") throw error;
      return { handle: raw.flx_object_find(this._handle, openClass.key, key), isNew: false };
    }
  }

  /** Gives an object its values. `mode` is `Never` for a new one; `innerMode` is for objects that it links to. */
  _fill(handle, openClass, values, mode = UpdateMode.Never, innerMode = mode) {
    const object = this._object(openClass, handle);
    for (const [name, info] of openClass.properties) {
      if (info.is_primary_key) continue;
      let value = values[name];
      if (value === undefined && mode === UpdateMode.Never) value = defaultOf(openClass, name);
      if (value === undefined || (mode === UpdateMode.Modified && Object.is(object[name], value))) continue;
      set(object[STATE], info, value, innerMode);
    }
  }

  /** The values of an object as a plain one, from which another object is made. */
  _valuesOf(values) {
    return values instanceof RealmObject ? Object.fromEntries(values.entries()) : values;
  }

  /** Refuses what has no values of an object, such as a string or a Date, instead of making an object without them. */
  _requireValues(openClass, values) {
    const isOne = typeof values === "object" && values !== null && !Array.isArray(values) && !(values instanceof Date) && !isBinary(values)
      && nativeBson(values) === undefined && !values[STATE]?.isCollection && !(values instanceof Map) && !(values instanceof Set);
    if (!isOne) throw new TypeError(`Expected an object with the values of '${openClass.name}', got ${described(values)}`);
  }

  /** An object that is in a realm already. */
  _managed(value) {
    return value instanceof RealmObject ? value : undefined;
  }

  _object(openClass, handle) {
    if (!this.#prototypes.has(openClass.name)) this.#prototypes.set(openClass.name, prototypeFor(openClass));
    return Object.create(this.#prototypes.get(openClass.name), {
      [STATE]: { value: { realm: this, class: openClass, objectHandle: handle } },
    });
  }

  _linked(link) {
    const handle = raw.flx_object_get_linked(this._handle, link);
    return handle && this._object(this.#classWithKey(link.target_class), handle);
  }

  _resultsOf(handle) {
    return new Results(this, this.#classWithKey(raw.flx_results_class(handle)), handle);
  }

  /** Deletes an object, or those of results, a list or an array. */
  delete(subject) {
    if (subject instanceof Results) raw.flx_results_delete_all(subject[STATE].handle);
    else if (subject instanceof RealmObject) raw.flx_object_delete(subject[STATE].objectHandle);
    else if (subject instanceof RealmCollection || Array.isArray(subject)) for (const one of [...subject]) this.#deleteIfValid(one);
    else throw new TypeError("Only objects, and collections of objects, can be deleted.");
  }

  #deleteIfValid(object) {
    if (object.isValid()) this.delete(object);
  }

  /** Deletes all objects. */
  deleteAll() {
    for (const one of this._classes()) if (one.kind === ClassKind.TOP_LEVEL) this.delete(this.objects(one.name));
  }

  /** Deletes the objects of a class, and the class; only in a migration. */
  deleteModel(name) {
    raw.flx_migration_delete_class(this._handle, name);
  }

  /** Gives a property the values of one that the old schema had; only in a migration. */
  renameProperty(type, oldName, newName) {
    raw.flx_migration_rename_property(this._handle, this._class(type).name, oldName, newName);
  }

  get isEmpty() {
    return this._classes().every((one) => one.kind !== ClassKind.TOP_LEVEL || this.objects(one.name).isEmpty());
  }

  get isReadOnly() {
    return Boolean(this.#configuration.given.readOnly);
  }

  // ---- what others have written ----

  /** Shows the newest data at once, and calls listeners. It happens by itself in Node's loop. Returns whether data has changed. */
  refresh() {
    return raw.flx_realm_refresh(this._handle);
  }

  _refreshIfOpen() {
    if (!this.isClosed) this.refresh();
  }

  _notifySoon() {
    this._callSoon(() => this._refreshIfOpen());
  }

  /** Calls functions in the next turn of the loop, if the realm is open then. */
  _callSoon(callback) {
    setImmediate(() => {
      if (!this.isClosed) callback();
    });
  }

  _keep(token) {
    this.#tokens.add(token);
  }

  _forget(token) {
    this.#tokens.delete(token);
  }

  /** Calls a function with the realm and "change" whenever the data of the realm has changed. */
  addListener(name, callback) {
    if (name !== "change") throw new TypeError(`A realm has no event '${name}', only 'change'.`);
    this.#listeners.add(callback, () => raw.flx_realm_observe(this._handle, () => callback(this, "change")));
  }

  removeListener(name, callback) {
    this.#listeners.remove(callback);
  }

  removeAllListeners() {
    this.#listeners.removeAll();
  }

  /** A realm that stays on the data of this one. Close it to let the file forget them. */
  freeze() {
    return new Realm(this.#configuration, raw.flx_realm_freeze(this._handle));
  }

  get isFrozen() {
    return raw.flx_realm_is_frozen(this._handle);
  }

  // ---- sync ----

  /** The subscriptions. Throws NOT_SYNCED for a local realm. */
  get subscriptions() {
    return new SubscriptionSet(this);
  }

  /** The sync session; null for a local realm. */
  get syncSession() {
    const handle = raw.flx_realm_get_session(this._handle);
    return handle && new SyncSession(this, handle);
  }

  /** The writes that the server has reverted. */
  get rejectedWrites() {
    return new RejectedWrites(this);
  }
}

/** A realm that the library lends to a callback. */
function lend(handle, configuration) {
  return new Realm(configuration, handle, true);
}

function defaultOf(openClass, name) {
  const value = openClass.declared?.defaults.get(name);
  return typeof value === "function" ? value() : value;
}
