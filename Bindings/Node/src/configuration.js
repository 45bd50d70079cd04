// SPDX-License-Identifier: Apache-2.0
/** @file How a realm is opened. Nothing here is API. */
import { resolve } from "node:path";
import { ClientResetMode as Reset, SchemaMode } from "./enumerations.js";
import { requireKnownKeysOfRealm } from "./keys.js";
import { raw, requireNoPromise } from "./library.js";
import { DeclaredClass } from "./schema.js";
import { syncErrorOf } from "./session.js";
import { MutableSubscriptionSet } from "./subscriptions.js";
import { described } from "./values.js";

/** How a client reset is handled, which the server demands when it cannot continue with the file of this device. */
export const ClientResetMode = Object.freeze({
  /** Left to the program: `onManual` or `onError` is called, and opening the realm again starts afresh. */
  Manual: "manual",
  /** Changes that the server does not have are lost. */
  DiscardUnsyncedChanges: "discardUnsyncedChanges",
  /** Changes that the server does not have are made again. */
  RecoverUnsyncedChanges: "recoverUnsyncedChanges",
  /** Recover, or discard if that fails. */
  RecoverOrDiscardUnsyncedChanges: "recoverOrDiscardUnsyncedChanges",
});

const RESETS = {
  [ClientResetMode.Manual]: Reset.MANUAL,
  [ClientResetMode.DiscardUnsyncedChanges]: Reset.DISCARD_UNSYNCED,
  [ClientResetMode.RecoverUnsyncedChanges]: Reset.RECOVER_UNSYNCED,
  [ClientResetMode.RecoverOrDiscardUnsyncedChanges]: Reset.RECOVER_OR_DISCARD_UNSYNCED,
};

/** Whether opening waits for the server. */
export const OpenRealmBehaviorType = Object.freeze({ DownloadBeforeOpen: "downloadBeforeOpen", OpenImmediately: "openImmediately" });

/** What happens when waiting for the server takes too long. */
export const OpenRealmTimeOutBehavior = Object.freeze({ OpenLocalRealm: "openLocalRealm", ThrowException: "throwException" });

/** A configuration of a program, with what the library needs of it. */
export class Configuration {
  /** What an initial subscription has thrown while the realm was being opened in the background. */
  error;

  constructor(given = {}) {
    this.given = typeof given === "string" ? { path: given } : given;
    requireKnownKeysOfRealm(this.given);
    this.declared = new Map((this.given.schema ?? []).map((one) => new DeclaredClass(one)).map((one) => [one.name, one]));
    const { sync, schemaVersion } = this.given;
    for (const name of ["onMigration", "shouldCompact"]) {
      const one = this.given[name] ?? undefined;
      if (one !== undefined && typeof one !== "function") throw new TypeError(`'${name}' is a function, not ${described(one)}.`);
    }
    if ((schemaVersion ?? undefined) !== undefined && !(Number.isSafeInteger(schemaVersion) && schemaVersion >= 0)) {
      throw new TypeError(`'schemaVersion' is an integer from 0 on, not ${described(schemaVersion)}.`);
    }
    if (sync && !sync.flexible) throw new TypeError("Only flexible sync is supported: set 'sync.flexible' to true.");
    if (sync && !sync.user?._handle) throw new TypeError(`A synced realm needs 'sync.user', a user of an app, not ${described(sync.user)}.`);
  }

  /** The app of a synced realm. */
  get core() {
    return this.given.sync?.user._core;
  }

  /** What says which file it is; without callbacks. */
  get place() {
    const { path, inMemory, sync } = this.given;
    const file = path === undefined && sync ? "" : resolve(path ?? "default.realm");
    return { ...(inMemory ? { in_memory_name: file } : { path: file }), user: sync?.user._handle };
  }

  get fileExists() {
    return raw.flx_realm_file_exists(this.place);
  }

  /** The configuration of the library. Its callbacks make realms with `makeRealm(handle, configuration)`. */
  native(makeRealm, progress) {
    const { given } = this;
    return {
      ...this.place,
      ...this.#schema(),
      read_only: Boolean(given.readOnly),
      seed_path: given.seedPath ? resolve(given.seedPath) : "",
      migration: given.onMigration && ((before, after) => this.#migrate(makeRealm, before, after)),
      should_compact: given.shouldCompact,
      ...(given.sync ? this.#sync(given.sync, makeRealm, progress) : {}),
    };
  }

  #schema() {
    const { schema, schemaVersion, deleteRealmIfMigrationNeeded, onMigration, sync } = this.given;
    if (sync) this.#refuseMigration();
    if (!schema) return { schema_mode: SchemaMode.FROM_FILE };
    // The version of a synced realm goes to the server; its file has none.
    const isVersioned = !sync && (schemaVersion !== undefined || onMigration !== undefined);
    const versioned = isVersioned ? SchemaMode.VERSIONED : SchemaMode.ADDITIVE;
    return {
      classes: [...this.declared.values()].map((one) => one.info),
      schema_mode: deleteRealmIfMigrationNeeded ? SchemaMode.VERSIONED_OR_RESET : versioned,
      schema_version: schemaVersion ?? 0,
    };
  }

  #refuseMigration() {
    const { schema, deleteRealmIfMigrationNeeded, onMigration } = this.given;
    if (!schema) throw new TypeError("A synced realm needs the program's classes: set 'schema'.");
    if (!deleteRealmIfMigrationNeeded && !onMigration) return;
    const option = onMigration ? "onMigration" : "deleteRealmIfMigrationNeeded";
    throw new TypeError(`A synced realm is never migrated: leave out '${option}'. Its file gets the classes and properties that it lacks.`);
  }

  #migrate(makeRealm, before, after) {
    requireNoPromise(this.given.onMigration(makeRealm(before, new Configuration({})), makeRealm(after, this)), "onMigration");
  }

  #sync(sync, makeRealm, progress) {
    return {
      initial_subscriptions: sync.initialSubscriptions && ((realm, update) => this.#subscribe(sync.initialSubscriptions, makeRealm(realm, this), update)),
      rerun_initial_subscriptions: Boolean(sync.initialSubscriptions?.rerunOnOpen),
      starts_suspended: Boolean(sync.startsPaused),
      refuse_unsubscribed_objects: Boolean(sync.refuseUnsubscribedObjects),
      rejected_write_limit: sync.rejectedWriteLimit ?? 0,
      fail_opening_at_first_error: Boolean(sync.cancelWaitsOnNonFatalError),
      open_progress: progress,
      ...this.#clientReset(sync.clientReset ?? {}, makeRealm),
    };
  }

  #subscribe(initial, realm, update) {
    requireNoPromise(initial.update(new MutableSubscriptionSet(realm, update), realm), "initialSubscriptions.update");
  }

  #clientReset(reset, makeRealm) {
    const mode = reset.mode ?? ClientResetMode.RecoverOrDiscardUnsyncedChanges;
    if (!(mode in RESETS)) throw new TypeError(`'${mode}' is not one of Realm.ClientResetMode.`);
    const onError = mode === ClientResetMode.Manual ? reset.onManual : reset.onFallback;
    const { onBefore, onAfter, onRecovery, onDiscard } = reset;
    return {
      client_reset_mode: RESETS[mode],
      before_client_reset: onBefore && ((before) => onBefore(makeRealm(before, this))),
      after_client_reset: (onAfter || onRecovery || onDiscard) && ((before, after, didRecover) => {
        for (const one of [onAfter, didRecover ? onRecovery : onDiscard]) one?.(makeRealm(before, this), makeRealm(after, this));
      }),
      client_reset_error: onError && ((session, error) => onError(this.#sessionFor(session), syncErrorOf(error).recoveryPath)),
    };
  }

  /** The session of the open realm for what the library lends to a callback. */
  #sessionFor(session) {
    const path = raw.flx_session_path(session);
    return [...this.core.realms].find((one) => one.path === path)?.syncSession ?? null;
  }
}

