// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { isMainThread } from "node:worker_threads";
import { ObjectId } from "./bson.js";
import { CredentialsKind, LoopMode, UserState as State } from "./enumerations.js";
import { FlexSyncError } from "./errors.js";
import { requireKnownKeys } from "./keys.js";
import { STATE, completed, completedWith, raw } from "./library.js";
import { syncErrorOf } from "./session.js";

/** Whether a user can sync. */
export const UserState = Object.freeze({ LoggedIn: "loggedIn", LoggedOut: "loggedOut", Removed: "removed" });

const USER_STATES = { [State.LOGGED_IN]: UserState.LoggedIn, [State.LOGGED_OUT]: UserState.LoggedOut, [State.REMOVED]: UserState.Removed };

/**
 * An app of the library while it is needed. The library's part of Node's loop keeps the process alive; without open realms
 * and running operations it is closed, and opened again at the next use.
 */
class AppCore {
  #handle;
  #users = new Map();
  #uses = 0;
  /** The open realms. */
  realms = new Set();
  /** The configurations of realms that are being opened. */
  opening = new Set();
  userObjects = new Map();

  constructor(config) {
    this.config = config;
  }

  get handle() {
    if (!this.#handle) {
      this.#handle = raw.flx_app_create({ ...this.config, loop_mode: LoopMode.HOST_UV });
      const weak = new WeakRef(this);
      raw.flx_app_set_error_handler(this.#handle, (session, error) => weak.deref()?.tellError(raw.flx_session_path(session), syncErrorOf(error)));
    }
    this.#closeSoon();
    return this.#handle;
  }

  /** Keeps the app open until the returned function is called. */
  hold() {
    this.#uses += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#uses -= 1;
      this.#closeSoon();
    };
  }

  /** Keeps the app open until a promise is settled. */
  during(promise) {
    const release = this.hold();
    return promise.finally(release);
  }

  #closeSoon() {
    if (this.#uses > 0 || this.willClose) return;
    this.willClose = true;
    setImmediate(() => {
      this.willClose = false;
      if (this.#uses === 0) this.#close();
    });
  }

  #close() {
    if (!this.#handle) return;
    for (const user of this.#users.values()) raw.flx_user_release(user);
    this.#users.clear();
    raw.flx_app_release(this.#handle);
    this.#handle = undefined;
  }

  // ---- users ----

  /** The user for a handle, which then belongs to the app. */
  adopt(handle) {
    if (!handle) return null;
    const id = raw.flx_user_id(handle);
    // A handle that is left to the collector would keep the library's app open, and with it the process.
    if (this.#users.has(id)) raw.flx_user_release(this.#users.get(id));
    this.#users.set(id, handle);
    if (!this.userObjects.has(id)) this.userObjects.set(id, new User(this, id));
    return this.userObjects.get(id);
  }

  /** The handle of a user; undefined if the user is no longer on this device. */
  userHandle(id) {
    const { handle } = this;
    if (!this.#users.has(id)) {
      for (let index = 0; index < raw.flx_app_user_count(handle); index++) this.adopt(raw.flx_app_get_user_at(handle, index));
    }
    return this.#users.get(id);
  }

  // ---- errors ----

  tellError(path, error) {
    const realms = [...this.realms].filter((one) => one.path === path);
    const told = realms.map((realm) => [realm._configuration, realm.syncSession]);
    const targets = told.length ? told : [...this.opening].map((one) => [one, null]);
    const handlers = new Map(targets.map(([configuration, session]) => [configuration.given.sync.onError, session]));
    for (const [handler, session] of handlers) handler?.(session, error);
  }
}

const cores = new Map();

function coreFor(config) {
  const key = JSON.stringify(config);
  if (!cores.has(key)) cores.set(key, new AppCore(config));
  return cores.get(key);
}

/**
 * An app of a server: users, and the realms that they sync.
 *
 *     const app = new Realm.App({ id: "tasktracker-abcde", baseUrl: "https://sync.example.com" });
 *     const user = await app.logIn(Realm.Credentials.emailPassword({ email, password }));
 *
 * Networking and sync run in Node's own loop. The process ends by itself when all synced realms are closed.
 */
export class App {
  /**
   * @param {object} given
   * @param {string} given.id the id of the app on the server.
   * @param {string} given.baseUrl the URL of the server.
   * @param {string} [given.baseFilePath] the folder for logins and realms, "flexsync" by default.
   * @param {number} [given.timeout] the timeout of requests in ms, 60 000 by default.
   * @param {string} [given.trustedCertificates] a PEM file with the certificates to trust instead of the system's.
   */
  constructor(given) {
    requireKnownKeys("app", given);
    const { id, baseUrl, baseFilePath = "flexsync", timeout = 0, trustedCertificates = "" } = given;
    if (!isMainThread) throw new FlexSyncError(2, "UNSUPPORTED", "Apps and sync run on the main thread of Node only.");
    const config = {
      app_id: id, base_url: baseUrl, storage_directory: resolve(baseFilePath), request_timeout_ms: timeout,
      trusted_certificates_file: trustedCertificates,
    };
    this.id = id;
    Object.defineProperty(this, STATE, { value: coreFor(config) });
    /** Accounts with email and password. */
    this.emailPasswordAuth = new EmailPasswordAuth(this[STATE]);
    const { handle } = this[STATE]; // Wrong configurations fail here.
    void handle;
  }

  get baseUrl() {
    return raw.flx_app_base_url_copy(this[STATE].handle);
  }

  /** Logs in and makes the user the current one. The login stays on the device. */
  logIn(credentials) {
    const core = this[STATE];
    return core.during(completedWith((completion) => raw.flx_app_log_in(core.handle, credentials, completion), (user) => core.adopt(user)));
  }

  /** The user who logged in last or was switched to; null if nobody is logged in. */
  get currentUser() {
    return this[STATE].adopt(raw.flx_app_get_current_user(this[STATE].handle));
  }

  /** The users on this device by their ids, logged in or not. */
  get allUsers() {
    const { handle } = this[STATE];
    const users = Array.from({ length: raw.flx_app_user_count(handle) }, (_, index) => this[STATE].adopt(raw.flx_app_get_user_at(handle, index)));
    return Object.fromEntries(users.map((user) => [user.id, user]));
  }

  /** Makes a user who is logged in the current one. */
  switchUser(user) {
    raw.flx_app_switch_user(this[STATE].handle, user._handle);
  }

  /** Logs a user out and removes the user from this device, with the user's realms. */
  removeUser(user) {
    return user._operation(raw.flx_user_remove);
  }

  /** Deletes the account of a user on the server, and removes the user from this device. */
  deleteUser(user) {
    return user._operation(raw.flx_user_delete);
  }

  /** Moves the app to a server at another URL, until the end of the process. */
  updateBaseUrl(url) {
    const core = this[STATE];
    return core.during(completed((completion) => raw.flx_app_update_base_url(core.handle, url, completion)));
  }
}

/** Accounts with email and password: `app.emailPasswordAuth`. */
export class EmailPasswordAuth {
  #core;

  constructor(core) {
    this.#core = core;
  }

  #operation(function_, ...values) {
    return this.#core.during(completed((completion) => function_(this.#core.handle, ...values, completion)));
  }

  /** Registers an account, without logging in. */
  registerUser({ email, password }) {
    return this.#operation(raw.flx_app_register_email, email, password);
  }

  /** Confirms an account with what the confirmation email contains. */
  confirmUser({ token, tokenId }) {
    return this.#operation(raw.flx_app_confirm_email, token, tokenId);
  }

  resendConfirmationEmail({ email }) {
    return this.#operation(raw.flx_app_resend_confirmation, email);
  }

  retryCustomConfirmation({ email }) {
    return this.#operation(raw.flx_app_retry_confirmation_function, email);
  }

  sendResetPasswordEmail({ email }) {
    return this.#operation(raw.flx_app_send_password_reset, email);
  }

  /** Sets a new password with what the password reset email contains. */
  resetPassword({ password, token, tokenId }) {
    return this.#operation(raw.flx_app_reset_password, password, token, tokenId);
  }

  callResetPasswordFunction({ email, password }, ...values) {
    return this.#operation(raw.flx_app_call_password_reset_function, email, password, values.length ? JSON.stringify(values) : "");
  }
}

/** Proofs of a user's identity, for `app.logIn` and `user.linkCredentials`. */
export class Credentials {
  constructor(kind, name = "", secret = "") {
    this.kind = kind;
    this.name = name;
    this.secret = secret;
  }

  /** @param {boolean} [reuse] the anonymous user who is logged in already, if there is one; true by default. */
  static anonymous(reuse = true) {
    return new Credentials(reuse ? CredentialsKind.ANONYMOUS : CredentialsKind.NEW_ANONYMOUS);
  }

  static emailPassword(account, password) {
    const { email, password: secret } = typeof account === "string" ? { email: account, password } : account;
    return new Credentials(CredentialsKind.EMAIL_PASSWORD, email, secret);
  }

  static apiKey(key) {
    return new Credentials(CredentialsKind.API_KEY, "", key);
  }

  static jwt(token) {
    return new Credentials(CredentialsKind.JWT, "", token);
  }

  /** @param {object} payload what a function of the app gets. */
  static function(payload) {
    return new Credentials(CredentialsKind.FUNCTION, "", JSON.stringify(payload));
  }

  static google({ authCode, idToken }) {
    const kind = authCode === undefined ? CredentialsKind.GOOGLE_ID_TOKEN : CredentialsKind.GOOGLE_AUTH_CODE;
    return new Credentials(kind, "", authCode ?? idToken);
  }

  static apple(token) {
    return new Credentials(CredentialsKind.APPLE, "", token);
  }

  static facebook(token) {
    return new Credentials(CredentialsKind.FACEBOOK, "", token);
  }
}

/** A user of an app. */
export class User {
  constructor(core, id) {
    /** The id of the user on the server. */
    this.id = id;
    Object.defineProperty(this, STATE, { value: core });
    /** The user's API keys. */
    this.apiKeys = new ApiKeyAuth(this);
  }

  get _core() {
    return this[STATE];
  }

  get _handle() {
    const handle = this[STATE].userHandle(this.id);
    if (!handle) throw new FlexSyncError(506, "USER_NOT_FOUND", `The user ${this.id} was removed from this device.`);
    return handle;
  }

  /** Runs an operation of the library with the user as its first argument, and a completion as its last. */
  _operation(function_, ...values) {
    return this[STATE].during(completed((completion) => function_(this._handle, ...values, completion)));
  }

  /** One of `UserState`. */
  get state() {
    const handle = this[STATE].userHandle(this.id);
    return handle ? USER_STATES[raw.flx_user_get_state(handle)] : UserState.Removed;
  }

  get isLoggedIn() {
    return this.state === UserState.LoggedIn;
  }

  /** How the user logged in last: "anon-user", "local-userpass" … */
  get providerType() {
    return raw.flx_user_provider(this._handle);
  }

  /** The ways in which the user can log in, each with `id` and `providerType`. */
  get identities() {
    return raw.flx_user_identities_copy(this._handle).map(({ id, provider }) => ({ id, providerType: provider }));
  }

  get accessToken() {
    return raw.flx_user_access_token_copy(this._handle);
  }

  get refreshToken() {
    return raw.flx_user_refresh_token_copy(this._handle);
  }

  /** The user's profile as the login providers report it. */
  get profile() {
    return JSON.parse(raw.flx_user_profile_copy(this._handle) ?? "{}");
  }

  /** The user's custom data as of the last login or refresh. */
  get customData() {
    return JSON.parse(raw.flx_user_custom_data_copy(this._handle) ?? "{}");
  }

  async refreshCustomData() {
    await this._operation(raw.flx_user_refresh_custom_data);
    return this.customData;
  }

  /**
   * Logs out. Files stay on the device, except those of an anonymous user, who is removed. If it is the server that ends a
   * login, all files stay; see `SyncError.recoveryPath`.
   */
  logOut() {
    return this._operation(raw.flx_user_log_out);
  }

  /** Adds a way in which the user can log in. */
  linkCredentials(credentials) {
    const core = this[STATE];
    return core.during(completedWith((completion) => raw.flx_user_link(this._handle, credentials, completion), (user) => core.adopt(user)));
  }

  /** Calls a function of the app. Arguments and result are JSON. */
  callFunction(name, ...values) {
    const core = this[STATE];
    return core.during(completedWith((completion) => raw.flx_user_call_function(this._handle, name, JSON.stringify(values), "", completion), JSON.parse));
  }
}

function apiKey(one) {
  return { _id: new ObjectId(one.id), name: one.name, disabled: one.is_disabled, ...(one.key ? { key: one.key } : {}) };
}

/** The API keys of a user, with which programs log in as the user: `user.apiKeys`. */
export class ApiKeyAuth {
  #user;

  constructor(user) {
    this.#user = user;
  }

  #fetched(start, result) {
    return this.#user[STATE].during(completedWith(start, result));
  }

  /** Makes a key. Its `key`, the secret, is never told again. */
  create(name) {
    return this.#fetched((completion) => raw.flx_user_create_api_key(this.#user._handle, name, completion), ([one]) => apiKey(one));
  }

  fetch(keyId) {
    return this.#fetched((completion) => raw.flx_user_fetch_api_key(this.#user._handle, new ObjectId(keyId).id, completion), ([one]) => apiKey(one));
  }

  fetchAll() {
    return this.#fetched((completion) => raw.flx_user_fetch_api_keys(this.#user._handle, completion), (keys) => keys.map(apiKey));
  }

  enable(keyId) {
    return this.#user._operation(raw.flx_user_enable_api_key, new ObjectId(keyId).id);
  }

  disable(keyId) {
    return this.#user._operation(raw.flx_user_disable_api_key, new ObjectId(keyId).id);
  }

  delete(keyId) {
    return this.#user._operation(raw.flx_user_delete_api_key, new ObjectId(keyId).id);
  }
}

