// SPDX-License-Identifier: Apache-2.0
/** A device of a scenario: an app with its own storage folder, and its realm while that is open. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import {
  App, ClientResetMode, CompensatingWriteError, Credentials, FlexSyncError, ObjectId, OpenRealmBehaviorType, Realm, WaitForSync,
} from "flexsync";
import * as accounts from "./accounts.mjs";
import { CLASSES, LOCAL_CLASSES } from "./models.mjs";
import { Observers } from "./observers.mjs";
import { ScenarioError, find, line, mixedValue, objectJSON, propertiesOf, valueOf, words } from "./values.mjs";

const PATIENCE = 20_000;
const RESETS = { discard: ClientResetMode.DiscardUnsyncedChanges, recover: ClientResetMode.RecoverUnsyncedChanges };
const WAITS = { onCreation: WaitForSync.FirstTime, always: WaitForSync.Always, never: WaitForSync.Never };
const EDITS = ["insert", "replace", "erase", "move", "clear", "include", "exclude", "put", "drop"];

/** Reverted writes of all devices, as lines of the transcript without the device. */
let reverted = [];

function collect(session, error) {
  if (!(error instanceof CompensatingWriteError)) return;
  for (const write of error.writes) reverted.push(`reverted ${write.objectName} ${write.primaryKey}: ${write.reason}`);
}

const byBytes = (left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right));

export class Device {
  #app;
  #realm;
  #frozen;
  #isWriting = false;
  #observers = new Observers();

  constructor(name, server, appId, data) {
    this.name = name;
    this.data = data;
    this.place = { id: appId, baseUrl: server, baseFilePath: `${data}/${name}` };
  }

  async play(step) {
    if (step.do in accounts.STEPS) this.say(await accounts.play(this.app, step));
    else await this[`do_${step.do}`](step);
  }

  say(words) {
    console.log(`${this.name}: ${words}`);
  }

  /** Says the words of a function, or why it failed. */
  async trying(words) {
    try {
      this.say(await words());
    } catch (error) {
      if (!(error instanceof FlexSyncError)) throw error;
      this.say(`failed: ${error.message}`);
    }
  }

  get app() {
    return (this.#app ??= new App(this.place));
  }

  get realm() {
    if (!this.#realm) throw new ScenarioError(`${this.name} is not open`);
    return this.#realm;
  }

  // ---- opening ----

  do_open(step) {
    return this.trying(async () => {
      const isLocal = "local" in step || "inMemory" in step;
      const configuration = {
        ...(isLocal ? this.#localConfiguration(step) : await this.#syncedConfiguration(step)),
        readOnly: Boolean(step.readOnly), seedPath: step.seed && this.#path(step.seed),
      };
      this.#realm = step.wait ? await Realm.open(configuration) : new Realm(configuration);
      return isLocal ? `opened ${step.local ?? step.inMemory}` : `opened as ${step.user}`;
    });
  }

  #path(name) {
    return `${this.data}/${name}.realm`;
  }

  #localConfiguration(step) {
    return "inMemory" in step
      ? { path: step.inMemory, inMemory: true, schema: LOCAL_CLASSES }
      : { path: this.#path(step.local), schema: LOCAL_CLASSES };
  }

  async #syncedConfiguration(step) {
    const user = this.app.currentUser ?? (await this.#logIn(step.user));
    const existing = { type: step.wait === "once" ? OpenRealmBehaviorType.OpenImmediately : OpenRealmBehaviorType.DownloadBeforeOpen };
    return {
      schema: CLASSES,
      sync: {
        user, flexible: true, startsPaused: Boolean(step.offline), onError: collect,
        refuseUnsubscribedObjects: Boolean(step.refuse), existingRealmFileBehavior: existing,
        clientReset: { mode: RESETS[step.reset] ?? ClientResetMode.Manual },
        initialSubscriptions: step.initial && { update: (mutable, realm) => this.#subscribeInitially(step.initial, mutable, realm) },
      },
    };
  }

  #subscribeInitially(initial, mutable, realm) {
    for (const one of initial) mutable.add(this.results(one, realm), { name: one.name });
  }

  do_copy(step) {
    return this.trying(() => {
      const place = { path: this.#path(step.to) };
      this.realm.writeCopyTo(step.synced ? { ...place, sync: { user: this.app.currentUser, flexible: true } } : place);
      return `wrote a copy to ${step.to}`;
    });
  }

  do_deleteFiles(step) {
    return this.trying(() => {
      const place = { path: this.#path(step.local) };
      const isThere = Realm.exists(place);
      Realm.deleteFile(place);
      return `${isThere ? "deleted the" : "there are no"} files of ${step.local}`;
    });
  }

  async #logIn(user) {
    const account = { email: `${user}@example.com`, password: "password" };
    try {
      return await this.app.logIn(Credentials.emailPassword(account));
    } catch (error) {
      if (error.code !== "INVALID_PASSWORD") throw error;
    }
    await this.app.emailPasswordAuth.registerUser(account);
    return this.app.logIn(Credentials.emailPassword(account));
  }

  close() {
    this.#observers.close();
    this.#frozen?.close();
    this.#realm?.close();
    this.#frozen = this.#realm = this.#app = undefined;
    this.#isWriting = false;
  }

  do_close() {
    this.close();
    this.say("closed");
  }

  do_sync() {
    return this.trying(async () => {
      await this.realm.syncSession.uploadAllLocalChanges(PATIENCE);
      await this.realm.syncSession.downloadAllServerChanges(PATIENCE);
      return "in sync";
    });
  }

  do_suspend() {
    this.realm.syncSession.pause();
    this.say("suspended");
  }

  do_resume() {
    this.realm.syncSession.resume();
    this.say("resumed");
  }

  // ---- subscriptions ----

  results(step, realm = this.realm) {
    const every = realm.objects(step.class);
    const values = (step.arguments ?? []).map((one) => mixedValue(realm, one));
    return step.query === undefined ? every : every.filtered(step.query, ...values);
  }

  async do_update(step) {
    const { subscriptions } = this.realm;
    await this.trying(async () => {
      subscriptions.updateNoWait((mutable) => step.changes.forEach((change) => this.#changeSubscriptions(mutable, change)));
      if (step.wait === false) return `committed version ${subscriptions.version}`;
      await subscriptions.waitForSynchronization({ timeout: PATIENCE });
      return `version ${subscriptions.version} ${subscriptions.state}`;
    });
  }

  #changeSubscriptions(mutable, change) {
    const [[action, value]] = Object.entries(change);
    const existing = value.name === undefined ? null : mutable.findByName(value.name);
    switch (action) {
      case "add": mutable.add(this.results(value), { name: value.name, throwIfExists: !value.replace }); break;
      case "query": if (existing) mutable.updateQuery(existing, this.results(value)); break;
      case "removeQuery": mutable.remove(this.results(value)); break;
      case "remove": mutable.removeByName(value); break;
      case "removeClass": mutable.removeByObjectType(value); break;
      default: if (value) mutable.removeUnnamed(); else mutable.removeAll();
    }
  }

  do_subscriptions() {
    const { subscriptions } = this.realm;
    const every = subscriptions.map((one) => `${one.name ?? "-"}=${one.objectType}(${one.queryString})`);
    this.say(`version ${subscriptions.version} ${subscriptions.state}:${every.length ? ` ${every.join(", ")}` : ""}`);
  }

  do_subscribe(step) {
    return this.trying(async () => {
      const { name, timeout = PATIENCE } = step;
      await this.results(step).subscribe({ name, timeout, behavior: WAITS[step.wait ?? "onCreation"], throwOnTimeout: true });
      return "subscribed";
    });
  }

  do_unsubscribe(step) {
    return this.trying(async () => {
      if (step.wait) await this.results(step).unsubscribeAndWait({ timeout: PATIENCE });
      else this.results(step).unsubscribe();
      return step.wait ? "unsubscribed, and the objects are gone" : "unsubscribed";
    });
  }

  // ---- writing ----

  do_begin() {
    this.realm.beginTransaction();
    this.#isWriting = true;
    this.say("began");
  }

  do_commit() {
    this.realm.commitTransaction();
    this.#isWriting = false;
    this.say("committed");
  }

  do_cancel() {
    this.realm.cancelTransaction();
    this.#isWriting = false;
    this.say("canceled");
  }

  do_write(step) {
    const apply = () => step.changes.forEach((change) => this.#apply(change));
    return this.trying(() => {
      if (this.#isWriting) apply();
      else this.realm.write(apply);
      return "wrote";
    });
  }

  #apply(change) {
    if ("create" in change) {
      const object = this.realm.create(change.create, { _id: new ObjectId(change.id) });
      this.#setValues(object, change.values ?? {});
    } else if ("set" in change) {
      this.#setValues(this.#inside(find(this.realm, change.set, change.id), change.inside ?? []), change.values);
    } else if ("delete" in change) {
      this.realm.delete(find(this.realm, change.delete, change.id));
    } else if ("increment" in change) {
      find(this.realm, change.class, change.id).increment(change.increment, change.value);
    } else if ("resubmit" in change) {
      this.realm.rejectedWrites.resubmit(this.#rejected(change.resubmit, change.id));
    } else {
      this.#edit(change);
    }
  }

  #setValues(object, values) {
    const { properties } = object.objectSchema();
    for (const [name, value] of Object.entries(values)) object[name] = valueOf(this.realm, properties[name], value);
  }

  /** The embedded object to which names, indexes and keys lead. */
  #inside(object, path) {
    return path.reduce((one, place) => one[place], object);
  }

  #edit(change) {
    const operation = EDITS.find((name) => name in change);
    const name = change[operation];
    const value = valueOf(this.realm, propertiesOf(this.realm, change.class)[name], change.value);
    const collection = this.#inside(find(this.realm, change.class, change.id)[name], change.path ?? []);
    const { index = 0, to, key } = change;
    const operations = {
      insert: () => collection.insert(index, value),
      replace: () => { collection[index] = value; },
      erase: () => collection.remove(index),
      move: () => collection.move(index, to),
      include: () => collection.add(value),
      exclude: () => collection.delete(value),
      put: () => collection.set(key, value),
      drop: () => collection.remove(key),
      clear: () => collection.clear(),
    };
    operations[operation]();
  }

  // ---- reading ----

  do_dump(step) {
    this.#dump(step, this.realm);
  }

  do_freeze() {
    this.#frozen?.close();
    this.#frozen = this.realm.freeze();
    this.say("froze");
  }

  do_frozen(step) {
    if (!this.#frozen) throw new ScenarioError(`${this.name} has frozen nothing`);
    this.#dump(step, this.#frozen);
  }

  #dump(step, realm) {
    const lines = this.results(step, realm).map(line).sort(byBytes);
    this.say(`${lines.length} ${step.class}`);
    for (const one of lines) this.say(`  ${one}`);
  }

  do_match(step) {
    return this.trying(() => {
      const results = this.results(step);
      const values = results.map((one) => words(one[step.by ?? "_id"])).join(", ");
      return `${results.length} ${step.class} where ${step.query ?? "TRUEPREDICATE"}${results.length ? `: ${values}` : ""}`;
    });
  }

  do_objects(step) {
    this.say(JSON.stringify(this.results(step).map(objectJSON)));
  }

  do_backlinks(step) {
    const origins = find(this.realm, step.class, step.id).linkingObjects(step.from, step.property);
    this.say(`${origins.length} ${step.from} link to ${step.id} by ${step.property}:${origins.map((one) => ` ${one._id}`).join("")}`);
  }

  do_linkState(step) {
    const { state, primaryKey } = find(this.realm, step.class, step.id).linkState(step.property);
    const shown = { null: "is null", resolved: `leads to ${primaryKey}`, outOfView: `leads out of view to ${primaryKey}` };
    this.say(`${step.property} of ${step.id} ${shown[state]}`);
  }

  async do_await(step) {
    const results = this.results(step);
    const deadline = Date.now() + PATIENCE;
    while (results.length !== step.count && Date.now() < deadline) await sleep(20);
    const isThere = results.length === step.count;
    this.say(isThere ? `${step.count} ${step.class} where ${step.query ?? "TRUEPREDICATE"}` : `gave up with ${results.length}`);
  }

  do_complete(step) {
    const { isComplete, serverVersion } = this.results(step).completeness();
    if (isComplete !== serverVersion > 0) throw new ScenarioError(`complete as of version ${serverVersion}`);
    this.say(`${isComplete ? "has every" : "may lack some"} ${step.class} where ${step.query ?? "TRUEPREDICATE"}`);
  }

  // ---- observing ----

  do_observe(step) {
    const object = step.id === undefined ? undefined : find(this.realm, step.class, step.id);
    if (object && step.property === undefined) this.#observers.observeObject(step, object);
    else this.#observers.observeCollection(step, object ? object[step.property] : this.results(step));
    this.say(`observes ${step.as}`);
  }

  do_unobserve(step) {
    this.#observers.remove(step.as);
    this.say(`no longer observes ${step.as}`);
  }

  async do_changes() {
    // Observers are told for the first time in the next turn of the loop.
    await nextTurn();
    this.realm.refresh();
    const lines = this.#observers.take();
    for (const one of lines.length ? lines : ["no changes"]) this.say(one);
  }

  // ---- rejected writes ----

  async do_errors(step) {
    const deadline = Date.now() + PATIENCE;
    while (reverted.length < step.count && Date.now() < deadline) await sleep(20);
    const lines = reverted.sort();
    reverted = [];
    for (const one of lines) this.say(one);
  }

  do_rejected() {
    const writes = [...this.realm.rejectedWrites];
    this.say(`${writes.length} rejected`);
    for (const one of writes) this.say(`  ${one.objectType} ${one.primaryKey} ${one.state}: ${one.reason}`);
  }

  do_discard(step) {
    this.realm.rejectedWrites.discard(this.#rejected(step.class, step.id));
    this.say("discarded");
  }

  #rejected(className, identifier) {
    const found = [...this.realm.rejectedWrites].reverse().find((one) => one.objectType === className && String(one.primaryKey) === identifier);
    if (!found) throw new ScenarioError(`there is no rejected write to ${className} ${identifier}`);
    return found;
  }
}
