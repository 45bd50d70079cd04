// SPDX-License-Identifier: Apache-2.0
/** FlexSync for Node.js: an offline-first object database that stays in sync with a server, in the shape of Realm's SDK. */
import type * as globalExports from "./index.js";

// ---- values ----

/** An ObjectId: twelve bytes, which are generated if none are given. */
export declare class ObjectId {
  constructor(value?: string | Uint8Array | ObjectId);
  readonly id: Uint8Array;
  equals(other: unknown): boolean;
  getTimestamp(): Date;
  toHexString(): string;
  toString(): string;
  toJSON(): string;
}

/** A UUID, which is random if none is given. */
export declare class UUID {
  constructor(value?: string | Uint8Array | UUID);
  readonly id: Uint8Array;
  equals(other: unknown): boolean;
  toHexString(): string;
  toString(): string;
  toJSON(): string;
}

type DecimalLike = string | number | bigint | Decimal128;

/** A decimal number of up to 34 digits. */
export declare class Decimal128 {
  constructor(value: DecimalLike);
  static fromString(text: string): Decimal128;
  compare(other: DecimalLike): number;
  equals(other: DecimalLike): boolean;
  plus(other: DecimalLike): Decimal128;
  minus(other: DecimalLike): Decimal128;
  times(other: DecimalLike): Decimal128;
  dividedBy(other: DecimalLike): Decimal128;
  toString(): string;
  toJSON(): { $numberDecimal: string };
}

export declare const BSON: { ObjectId: typeof ObjectId; UUID: typeof UUID; Decimal128: typeof Decimal128 };
export declare const version: string;

// ---- schemas ----

export interface PropertySchema {
  type: string;
  objectType?: string;
  property?: string;
  optional?: boolean;
  indexed?: boolean;
  mapTo?: string;
  default?: unknown;
}

export interface ObjectSchema {
  name: string;
  primaryKey?: string;
  embedded?: boolean;
  asymmetric?: boolean;
  properties: Record<string, string | PropertySchema>;
}

/** A class of objects with its schema. */
export interface ObjectClass<T = RealmObject> {
  new (realm: Realm, values: any): T;
  schema: ObjectSchema;
}

export interface CanonicalObjectSchema extends ObjectSchema {
  properties: Record<string, PropertySchema & { name: string }>;
}

// ---- objects and collections ----

export interface ObjectChanges { deleted: boolean; changedProperties: string[] }
export interface CollectionChanges { deletions: number[]; insertions: number[]; newModifications: number[]; oldModifications: number[] }
export interface DictionaryChanges { deletions: string[]; insertions: string[]; modifications: string[] }

export declare class RealmObject {
  constructor(realm: Realm, values: any);
  isValid(): boolean;
  objectSchema(): CanonicalObjectSchema;
  keys(): string[];
  entries(): [string, any][];
  toJSON(): Record<string, any>;
  addListener(listener: (object: this, changes: ObjectChanges) => void, keyPaths?: string | string[]): void;
  removeListener(listener: Function): void;
  removeAllListeners(): void;
  linkingObjects<T = any>(objectType: string | ObjectClass<T>, property: string): Results<T>;
  linkingObjectsCount(): number;
  /** Tells a link that is null from one to an object that is not on this device. */
  linkState(property: string): { state: "null" | "resolved" | "outOfView"; primaryKey: unknown };
  /** Adds to an int property, such that additions of several devices add up. */
  increment(property: string, by?: number | bigint): void;
  freeze(): this | null;
}

export declare abstract class RealmCollection<C = CollectionChanges> {
  isValid(): boolean;
  addListener(listener: (collection: this, changes: C) => void, keyPaths?: string | string[]): void;
  removeListener(listener: Function): void;
  removeAllListeners(): void;
  toJSON(): any;
}

type SortDescriptor = string | [string, boolean];
type ArrayReading<T> = Pick<readonly T[], "every" | "filter" | "find" | "findIndex" | "flatMap" | "forEach" | "join" | "lastIndexOf" | "map"
  | "reduce" | "reduceRight" | "slice" | "some" | "entries" | "keys" | "values" | "concat">;

export declare interface OrderedCollection<T> extends ArrayReading<T> {}
export declare abstract class OrderedCollection<T> extends RealmCollection {
  readonly length: number;
  [index: number]: T;
  [Symbol.iterator](): IterableIterator<T>;
  at(index: number): T | undefined;
  indexOf(element: T, from?: number): number;
  includes(element: T, from?: number): boolean;
  isEmpty(): boolean;
  filtered(query: string, ...values: unknown[]): Results<T>;
  sorted(descriptor: string | SortDescriptor[], isDescending?: boolean): Results<T>;
}

export declare class List<T = any> extends OrderedCollection<T> {
  insert(index: number, value: any): void;
  push(...values: any[]): number;
  unshift(...values: any[]): number;
  pop(): T | undefined;
  shift(): T | undefined;
  splice(start: number, count?: number, ...values: any[]): T[];
  remove(index: number): void;
  clear(): void;
  move(from: number, to: number): void;
  swap(first: number, second: number): void;
}

export declare class RealmSet<T = any> extends RealmCollection {
  readonly size: number;
  readonly length: number;
  has(value: T): boolean;
  add(value: T): this;
  delete(value: T): boolean;
  clear(): void;
  [Symbol.iterator](): IterableIterator<T>;
  values(): IterableIterator<T>;
  keys(): IterableIterator<T>;
  entries(): IterableIterator<[T, T]>;
  forEach(callback: (value: T, key: T, set: this) => void): void;
  map<U>(callback: (value: T) => U): U[];
  filtered(query: string, ...values: unknown[]): Results<T>;
  sorted(descriptor: string | SortDescriptor[], isDescending?: boolean): Results<T>;
}

/** Its entries are its properties; those with the names of methods need `get` and `set`. */
export declare class Dictionary<T = any> extends RealmCollection<DictionaryChanges> {
  [key: string]: any;
  get(key: string): T | undefined;
  set(key: string, value: T): this;
  set(entries: Record<string, T>): this;
  remove(keys: string | string[]): this;
  clear(): void;
  keys(): string[];
  values(): T[];
  entries(): [string, T][];
  [Symbol.iterator](): IterableIterator<[string, T]>;
  filtered(query: string, ...values: unknown[]): Results<T>;
  sorted(descriptor: string | SortDescriptor[], isDescending?: boolean): Results<T>;
}

export interface SubscribeOptions {
  name?: string;
  behavior?: WaitForSync;
  /** In ms. When it is over, the promise resolves with the results as they are, unless `throwOnTimeout`. */
  timeout?: number;
  throwOnTimeout?: boolean;
}

export declare class Results<T = any> extends OrderedCollection<T> {
  readonly type: "object";
  readonly description: string;
  distinct(...keyPaths: string[]): Results<T>;
  limited(count: number): Results<T>;
  snapshot(): Results<T>;
  min(property: string): any;
  max(property: string): any;
  sum(property: string): any;
  avg(property: string): any;
  update(property: string, value: unknown): void;
  explain(): string;
  subscribe(options?: SubscribeOptions): Promise<this>;
  unsubscribe(): void;
  unsubscribeAndWait(options?: { timeout?: number }): Promise<void>;
  completeness(): { isComplete: boolean; serverVersion: number };
}

// ---- enumerations: objects with the values, and the types of these ----

type Values<T> = T[keyof T];
export declare const WaitForSync: { readonly FirstTime: "first-time"; readonly Always: "always"; readonly Never: "never" };
export type WaitForSync = Values<typeof WaitForSync>;
export declare const UpdateMode: { readonly Never: "never"; readonly Modified: "modified"; readonly All: "all" };
export type UpdateMode = Values<typeof UpdateMode>;
export declare const SubscriptionSetState: {
  readonly Pending: "pending"; readonly Complete: "complete"; readonly Error: "error"; readonly Superseded: "superseded";
};
export type SubscriptionSetState = Values<typeof SubscriptionSetState>;
export declare const SessionState: { readonly Active: "active"; readonly Inactive: "inactive"; readonly Invalid: "invalid" };
export type SessionState = Values<typeof SessionState>;
export declare const ConnectionState: {
  readonly Disconnected: "disconnected"; readonly Connecting: "connecting"; readonly Connected: "connected";
};
export type ConnectionState = Values<typeof ConnectionState>;
export declare const ProgressDirection: { readonly Download: "download"; readonly Upload: "upload" };
export type ProgressDirection = Values<typeof ProgressDirection>;
export declare const ProgressMode: {
  readonly ReportIndefinitely: "reportIndefinitely"; readonly ForCurrentlyOutstandingWork: "forCurrentlyOutstandingWork";
};
export type ProgressMode = Values<typeof ProgressMode>;
export declare const ClientResetMode: {
  readonly Manual: "manual"; readonly DiscardUnsyncedChanges: "discardUnsyncedChanges";
  readonly RecoverUnsyncedChanges: "recoverUnsyncedChanges"; readonly RecoverOrDiscardUnsyncedChanges: "recoverOrDiscardUnsyncedChanges";
};
export type ClientResetMode = Values<typeof ClientResetMode>;
export declare const OpenRealmBehaviorType: { readonly DownloadBeforeOpen: "downloadBeforeOpen"; readonly OpenImmediately: "openImmediately" };
export type OpenRealmBehaviorType = Values<typeof OpenRealmBehaviorType>;
export declare const OpenRealmTimeOutBehavior: { readonly OpenLocalRealm: "openLocalRealm"; readonly ThrowException: "throwException" };
export type OpenRealmTimeOutBehavior = Values<typeof OpenRealmTimeOutBehavior>;
export declare const UserState: { readonly LoggedIn: "loggedIn"; readonly LoggedOut: "loggedOut"; readonly Removed: "removed" };
export type UserState = Values<typeof UserState>;

// ---- subscriptions ----

export declare class Subscription {
  readonly id: ObjectId;
  readonly name: string | null;
  readonly objectType: string;
  readonly queryString: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface Subscriptions extends Iterable<Subscription> {
  readonly length: number;
  readonly isEmpty: boolean;
  at(index: number): Subscription | undefined;
  map<U>(callback: (subscription: Subscription) => U): U[];
  forEach(callback: (subscription: Subscription) => void): void;
  filter(callback: (subscription: Subscription) => boolean): Subscription[];
  findByName(name: string): Subscription | null;
  findByQuery(query: Results<any>): Subscription | null;
}

export declare interface MutableSubscriptionSet extends Subscriptions {}
export declare class MutableSubscriptionSet {
  add(query: Results<any>, options?: { name?: string; throwOnUpdate?: boolean; throwIfExists?: boolean }): Subscription;
  updateQuery(subscription: Subscription, query: Results<any>): void;
  remove(query: Results<any>): boolean;
  removeByName(name: string): boolean;
  removeSubscription(subscription: Subscription): boolean;
  removeByObjectType(objectType: string | ObjectClass<any>): number;
  removeAll(): number;
  removeUnnamed(): number;
}

export declare interface SubscriptionSet extends Subscriptions {}
export declare class SubscriptionSet {
  readonly version: number;
  readonly state: SubscriptionSetState;
  readonly error: string | null;
  update(callback: (mutableSubs: MutableSubscriptionSet, realm: Realm) => void): Promise<void>;
  updateNoWait<T>(callback: (mutableSubs: MutableSubscriptionSet, realm: Realm) => T): T;
  waitForSynchronization(options?: { timeout?: number }): Promise<void>;
  addStateListener(listener: (state: SubscriptionSetState) => void): void;
  removeStateListener(listener: Function): void;
}

// ---- errors ----

export declare class FlexSyncError extends Error {
  /** The name of the status: "DISK_FULL", "QUERY_INVALID" … */
  readonly code: string;
  readonly status: number;
  readonly detail: number;
  readonly serverCode: string;
  readonly logUrl: string;
}

export declare class SyncError extends FlexSyncError {
  readonly isFatal: boolean;
  readonly recoveryPath: string;
}

export declare class CompensatingWriteError extends SyncError {
  readonly writes: { objectName: string; primaryKey: unknown; reason: string }[];
}

// ---- sync ----

export declare class SyncSession {
  readonly config: SyncConfiguration;
  readonly user: User;
  readonly state: SessionState;
  readonly connectionState: ConnectionState;
  /** Whether this process is the one that syncs, of those that have the realm open. */
  readonly isSyncAgent: boolean;
  isConnected(): boolean;
  pause(): void;
  resume(): void;
  reconnect(): void;
  uploadAllLocalChanges(timeout?: number): Promise<void>;
  downloadAllServerChanges(timeout?: number): Promise<void>;
  addConnectionNotification(callback: (newState: ConnectionState, oldState: ConnectionState) => void): void;
  removeConnectionNotification(callback: Function): void;
  addProgressNotification(direction: ProgressDirection, mode: ProgressMode,
    callback: (transferred: number, transferable: number, estimate: number) => void): void;
  removeProgressNotification(callback: Function): void;
}

export declare class RejectedWrite {
  readonly id: number;
  readonly objectType: string;
  readonly primaryKey: unknown;
  readonly reason: string;
  readonly state: "kept" | "resubmitted";
  readonly writtenAt: Date;
  readonly rejectedAt: Date;
  readonly hasChanges: boolean;
}

export declare class RejectedWrites implements Iterable<RejectedWrite> {
  readonly length: number;
  at(index: number): RejectedWrite | undefined;
  [Symbol.iterator](): IterableIterator<RejectedWrite>;
  resubmit(write: RejectedWrite): void;
  discard(write: RejectedWrite): boolean;
  addListener(listener: (writes: this, changes: CollectionChanges) => void): void;
  removeListener(listener: Function): void;
}

// ---- apps and users ----

export interface AppConfiguration {
  id: string;
  baseUrl: string;
  /** The folder for logins and realms, "flexsync" by default. */
  baseFilePath?: string;
  timeout?: number;
  trustedCertificates?: string;
}

export declare class App {
  constructor(config: AppConfiguration);
  readonly id: string;
  readonly baseUrl: string;
  readonly emailPasswordAuth: EmailPasswordAuth;
  readonly currentUser: User | null;
  readonly allUsers: Record<string, User>;
  logIn(credentials: Credentials): Promise<User>;
  switchUser(user: User): void;
  removeUser(user: User): Promise<void>;
  deleteUser(user: User): Promise<void>;
  updateBaseUrl(url: string): Promise<void>;
}

export declare class Credentials {
  static anonymous(reuse?: boolean): Credentials;
  static emailPassword(account: { email: string; password: string }): Credentials;
  static emailPassword(email: string, password: string): Credentials;
  static apiKey(key: string): Credentials;
  static jwt(token: string): Credentials;
  static function(payload: object): Credentials;
  static google(token: { authCode?: string; idToken?: string }): Credentials;
  static apple(token: string): Credentials;
  static facebook(token: string): Credentials;
}

export declare class EmailPasswordAuth {
  registerUser(account: { email: string; password: string }): Promise<void>;
  confirmUser(details: { token: string; tokenId: string }): Promise<void>;
  resendConfirmationEmail(details: { email: string }): Promise<void>;
  retryCustomConfirmation(details: { email: string }): Promise<void>;
  sendResetPasswordEmail(details: { email: string }): Promise<void>;
  resetPassword(details: { password: string; token: string; tokenId: string }): Promise<void>;
  callResetPasswordFunction(details: { email: string; password: string }, ...values: unknown[]): Promise<void>;
}

export declare class User {
  readonly id: string;
  readonly state: UserState;
  readonly isLoggedIn: boolean;
  readonly providerType: string;
  readonly identities: { id: string; providerType: string }[];
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  readonly profile: Record<string, any>;
  readonly customData: Record<string, any>;
  readonly apiKeys: ApiKeyAuth;
  refreshCustomData(): Promise<Record<string, any>>;
  logOut(): Promise<void>;
  linkCredentials(credentials: Credentials): Promise<User>;
  callFunction(name: string, ...values: unknown[]): Promise<any>;
}

export interface ApiKey { _id: ObjectId; name: string; disabled: boolean; key?: string }

export declare class ApiKeyAuth {
  create(name: string): Promise<ApiKey & { key: string }>;
  fetch(keyId: ObjectId | string): Promise<ApiKey>;
  fetchAll(): Promise<ApiKey[]>;
  enable(keyId: ObjectId | string): Promise<void>;
  disable(keyId: ObjectId | string): Promise<void>;
  delete(keyId: ObjectId | string): Promise<void>;
}

// ---- realms ----

export interface OpenRealmBehavior { type?: OpenRealmBehaviorType; timeOut?: number; timeOutBehavior?: OpenRealmTimeOutBehavior }

export interface ClientResetConfiguration {
  mode?: ClientResetMode;
  onBefore?: (before: Realm) => void;
  onAfter?: (before: Realm, after: Realm) => void;
  onRecovery?: (before: Realm, after: Realm) => void;
  onDiscard?: (before: Realm, after: Realm) => void;
  onManual?: (session: SyncSession | null, recoveryPath: string) => void;
  onFallback?: (session: SyncSession | null, recoveryPath: string) => void;
}

export interface SyncConfiguration {
  user: User;
  flexible: true;
  initialSubscriptions?: { update: (mutableSubs: MutableSubscriptionSet, realm: Realm) => void; rerunOnOpen?: boolean };
  newRealmFileBehavior?: OpenRealmBehavior;
  existingRealmFileBehavior?: OpenRealmBehavior;
  clientReset?: ClientResetConfiguration;
  onError?: (session: SyncSession | null, error: SyncError) => void;
  cancelWaitsOnNonFatalError?: boolean;
  startsPaused?: boolean;
  refuseUnsubscribedObjects?: boolean;
  rejectedWriteLimit?: number;
}

export interface Configuration {
  path?: string;
  schema?: (ObjectSchema | ObjectClass<any>)[];
  schemaVersion?: number;
  onMigration?: (oldRealm: Realm, newRealm: Realm) => void;
  deleteRealmIfMigrationNeeded?: boolean;
  inMemory?: boolean;
  readOnly?: boolean;
  shouldCompact?: (totalBytes: number, usedBytes: number) => boolean;
  seedPath?: string;
  sync?: SyncConfiguration;
}

export interface OpeningRealm extends Promise<Realm> {
  progress(callback: (transferred: number, transferable: number, estimate: number) => void): this;
}

type LogLevel = "all" | "trace" | "debug" | "detail" | "info" | "warn" | "error" | "fatal" | "off";

export declare class Realm {
  constructor(config?: Configuration | string);
  static open(config?: Configuration | string): OpeningRealm;
  static exists(config: Configuration | string): boolean;
  static deleteFile(config: Configuration | string): void;
  static setLogLevel(level: LogLevel): void;
  static setLogger(logger?: (level: LogLevel, message: string) => void): void;

  readonly path: string;
  readonly schema: CanonicalObjectSchema[];
  readonly schemaVersion: number;
  readonly isClosed: boolean;
  readonly isEmpty: boolean;
  readonly isFrozen: boolean;
  readonly isReadOnly: boolean;
  readonly isInTransaction: boolean;
  readonly subscriptions: SubscriptionSet;
  readonly syncSession: SyncSession | null;
  readonly rejectedWrites: RejectedWrites;

  close(): void;
  /** The function must not return a promise. */
  write<T>(callback: (realm: Realm) => T extends PromiseLike<any> ? never : T): T;
  beginTransaction(): void;
  commitTransaction(): void;
  cancelTransaction(): void;
  create<T = any>(type: string | ObjectClass<T>, values?: any, mode?: UpdateMode): T;
  objects<T = any>(type: string | ObjectClass<T>): Results<T>;
  objectForPrimaryKey<T = any>(type: string | ObjectClass<T>, key: unknown): T | null;
  delete(subject: RealmObject | RealmCollection<any> | RealmObject[]): void;
  deleteAll(): void;
  deleteModel(name: string): void;
  renameProperty(type: string | ObjectClass<any>, oldName: string, newName: string): void;
  refresh(): boolean;
  freeze(): Realm;
  writeCopyTo(config: Configuration | string): void;
  addListener(name: "change", callback: (realm: Realm, name: "change") => void): void;
  removeListener(name: "change", callback: Function): void;
  removeAllListeners(): void;

  // The same as the names that the package exports.
  static readonly ApiKeyAuth: typeof globalExports.ApiKeyAuth;
  static readonly App: typeof globalExports.App;
  static readonly BSON: typeof globalExports.BSON;
  static readonly ClientResetMode: typeof globalExports.ClientResetMode;
  static readonly CompensatingWriteError: typeof globalExports.CompensatingWriteError;
  static readonly ConnectionState: typeof globalExports.ConnectionState;
  static readonly Credentials: typeof globalExports.Credentials;
  static readonly Dictionary: typeof globalExports.Dictionary;
  static readonly EmailPasswordAuth: typeof globalExports.EmailPasswordAuth;
  static readonly FlexSyncError: typeof globalExports.FlexSyncError;
  static readonly List: typeof globalExports.List;
  static readonly MutableSubscriptionSet: typeof globalExports.MutableSubscriptionSet;
  static readonly OpenRealmBehaviorType: typeof globalExports.OpenRealmBehaviorType;
  static readonly OpenRealmTimeOutBehavior: typeof globalExports.OpenRealmTimeOutBehavior;
  static readonly OrderedCollection: typeof globalExports.OrderedCollection;
  static readonly ProgressDirection: typeof globalExports.ProgressDirection;
  static readonly ProgressMode: typeof globalExports.ProgressMode;
  static readonly RejectedWrite: typeof globalExports.RejectedWrite;
  static readonly RejectedWrites: typeof globalExports.RejectedWrites;
  static readonly Results: typeof globalExports.Results;
  static readonly SessionState: typeof globalExports.SessionState;
  static readonly Subscription: typeof globalExports.Subscription;
  static readonly SubscriptionSet: typeof globalExports.SubscriptionSet;
  static readonly SubscriptionSetState: typeof globalExports.SubscriptionSetState;
  static readonly SyncError: typeof globalExports.SyncError;
  static readonly SyncSession: typeof globalExports.SyncSession;
  static readonly UpdateMode: typeof globalExports.UpdateMode;
  static readonly User: typeof globalExports.User;
  static readonly UserState: typeof globalExports.UserState;
  static readonly WaitForSync: typeof globalExports.WaitForSync;
  static readonly Object: typeof globalExports.RealmObject;
  static readonly Collection: typeof globalExports.RealmCollection;
  static readonly Set: typeof globalExports.RealmSet;
  static readonly version: typeof globalExports.version;
}

/** The types by the names that they have as members of `Realm`, such as `Realm.List<Task>`. */
export declare namespace Realm {
  type ApiKey = globalExports.ApiKey;
  type ApiKeyAuth = globalExports.ApiKeyAuth;
  type App = globalExports.App;
  type AppConfiguration = globalExports.AppConfiguration;
  namespace BSON {
    type ObjectId = globalExports.ObjectId;
    type UUID = globalExports.UUID;
    type Decimal128 = globalExports.Decimal128;
  }
  type CanonicalObjectSchema = globalExports.CanonicalObjectSchema;
  type ClientResetConfiguration = globalExports.ClientResetConfiguration;
  type ClientResetMode = globalExports.ClientResetMode;
  type Collection<C = CollectionChanges> = globalExports.RealmCollection<C>;
  type CollectionChanges = globalExports.CollectionChanges;
  type CompensatingWriteError = globalExports.CompensatingWriteError;
  type Configuration = globalExports.Configuration;
  type ConnectionState = globalExports.ConnectionState;
  type Credentials = globalExports.Credentials;
  type Dictionary<T = any> = globalExports.Dictionary<T>;
  type DictionaryChanges = globalExports.DictionaryChanges;
  type EmailPasswordAuth = globalExports.EmailPasswordAuth;
  type FlexSyncError = globalExports.FlexSyncError;
  type List<T = any> = globalExports.List<T>;
  type MutableSubscriptionSet = globalExports.MutableSubscriptionSet;
  type Object = globalExports.RealmObject;
  type ObjectChanges = globalExports.ObjectChanges;
  type ObjectSchema = globalExports.ObjectSchema;
  type OpenRealmBehaviorType = globalExports.OpenRealmBehaviorType;
  type OpenRealmTimeOutBehavior = globalExports.OpenRealmTimeOutBehavior;
  type OrderedCollection<T = any> = globalExports.OrderedCollection<T>;
  type ProgressDirection = globalExports.ProgressDirection;
  type ProgressMode = globalExports.ProgressMode;
  type PropertySchema = globalExports.PropertySchema;
  type RejectedWrite = globalExports.RejectedWrite;
  type RejectedWrites = globalExports.RejectedWrites;
  type Results<T = any> = globalExports.Results<T>;
  type SessionState = globalExports.SessionState;
  type Set<T = any> = globalExports.RealmSet<T>;
  type Subscription = globalExports.Subscription;
  type SubscriptionSet = globalExports.SubscriptionSet;
  type SubscriptionSetState = globalExports.SubscriptionSetState;
  type SyncConfiguration = globalExports.SyncConfiguration;
  type SyncError = globalExports.SyncError;
  type SyncSession = globalExports.SyncSession;
  type UpdateMode = globalExports.UpdateMode;
  type User = globalExports.User;
  type UserState = globalExports.UserState;
  type WaitForSync = globalExports.WaitForSync;
}

export default Realm;
