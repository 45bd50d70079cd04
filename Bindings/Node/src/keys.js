// SPDX-License-Identifier: Apache-2.0
/** @file The keys that configurations may have. Nothing here is API. */
import { FlexSyncError } from "./errors.js";

const OPENING = { keys: ["type", "timeOut", "timeOutBehavior"] };

/** What may be in a configuration, by where it is. `lacking` are keys of Realm's SDK, with what to do without them. */
const PLACES = {
  realm: {
    keys: [
      "path", "schema", "schemaVersion", "onMigration", "deleteRealmIfMigrationNeeded", "inMemory", "readOnly", "shouldCompact", "seedPath",
      "sync",
    ],
    lacking: {
      encryptionKey: "FlexSync does not encrypt files. Put the file on an encrypted file system, such as LUKS or fscrypt, and leave the key out",
      fifoFilesFallbackPath: "FlexSync makes no pipes next to a realm. Leave the key out",
      disableFormatUpgrade: "FlexSync always upgrades a file of an older format when it opens it. Leave the key out, and keep a copy of the file "
        + "if an older version has to read it",
      migration: "name the function 'onMigration'",
      shouldCompactOnLaunch: "name the function 'shouldCompact'",
      onFirstOpen: "look with 'Realm.exists' before you open the realm, and create the first objects afterwards",
    },
  },
  "'sync'": {
    keys: [
      "user", "flexible", "initialSubscriptions", "newRealmFileBehavior", "existingRealmFileBehavior", "clientReset", "onError",
      "cancelWaitsOnNonFatalError", "startsPaused", "refuseUnsubscribedObjects", "rejectedWriteLimit",
    ],
    lacking: {
      partitionValue: "FlexSync has flexible sync only. Leave the key out, and subscribe to the objects that the partition had",
      customHttpHeaders: "this package sends no headers of the program's own. Leave the key out, and let a proxy add them",
      ssl: "leave the key out, and name the certificates in 'trustedCertificates' of the app's configuration",
      error: "name the function 'onError'",
    },
  },
  "'sync.initialSubscriptions'": { keys: ["update", "rerunOnOpen"] },
  "'sync.newRealmFileBehavior'": OPENING,
  "'sync.existingRealmFileBehavior'": OPENING,
  "'sync.clientReset'": {
    keys: ["mode", "onBefore", "onAfter", "onRecovery", "onDiscard", "onManual", "onFallback"],
    lacking: { clientResetBefore: "name the function 'onBefore'", clientResetAfter: "name the function 'onAfter'" },
  },
  app: {
    keys: ["id", "baseUrl", "baseFilePath", "timeout", "trustedCertificates"],
    lacking: {
      app: "'flexsyncd' does not use the name and version of the program. Leave the key out",
      multiplexSessions: "each realm has a connection of its own. Leave the key out",
      metadata: "FlexSync does not encrypt files. Put 'baseFilePath' on an encrypted file system, such as LUKS or fscrypt, and leave the key out",
      fetch: "the library sends all requests itself. Leave the key out",
    },
  },
};

/**
 * Refuses what is not an object, and keys that would have no effect. A key whose value is undefined counts as left out.
 *
 * It throws UNSUPPORTED for keys of Realm's SDK that this package lacks, and a TypeError for unknown ones.
 * @param {string} place one of `PLACES`.
 */
export function requireKnownKeys(place, given) {
  const of = place.startsWith("'") ? place : `the configuration of ${place === "app" ? "an app" : "a realm"}`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new TypeError(`An object is needed for ${of}, not ${JSON.stringify(given)}.`);
  const { keys, lacking = {} } = PLACES[place];
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || keys.includes(key)) continue;
    if (Object.hasOwn(lacking, key)) throw new FlexSyncError(2, "UNSUPPORTED", `'${key}' is not supported in ${of}: ${lacking[key]}.`);
    throw new TypeError(`'${key}' is not a key of ${of}. Correct it or leave it out; the keys are ${keys.join(", ")}.`);
  }
}

/** Refuses keys that would have no effect, anywhere in the configuration of a realm. */
export function requireKnownKeysOfRealm(given) {
  requireKnownKeys("realm", given);
  const { sync } = given;
  if (sync === undefined || sync === null) return;
  requireKnownKeys("'sync'", sync);
  for (const key of ["initialSubscriptions", "newRealmFileBehavior", "existingRealmFileBehavior", "clientReset"]) {
    if (sync[key] !== undefined && sync[key] !== null) requireKnownKeys(`'sync.${key}'`, sync[key]);
  }
}
