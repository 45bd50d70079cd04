#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
/**
 * A task tracker on the command line, in JavaScript: one command per run; data and login stay on disk between runs.
 *
 *     tasks.mjs --server http://localhost:9090 --app tasktracker-abcde --data ./phone register alice@example.com secret
 *     tasks.mjs … login alice@example.com secret
 *     tasks.mjs … subscribe mine 'assignee == "Nadia Zhang"'
 *     tasks.mjs … list 'completed == false SORT(dueDate ASC)'
 *     tasks.mjs … --offline add 'Write the report' 'Nadia Zhang' 45
 *     tasks.mjs … sync
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { App, CompensatingWriteError, Credentials, FlexSyncError, ObjectId, Realm } from "flexsync";

const TIMEOUT = 30_000;
const WEEK = 7 * 24 * 60 * 60 * 1000;

/** flexsyncd has the same class in Examples/TaskTracker. */
class Task extends Realm.Object {
  static schema = {
    name: "Task",
    primaryKey: "_id",
    properties: {
      _id: { type: "objectId", default: () => new ObjectId() }, taskName: "string", assignee: "string?", completed: "bool",
      progressMinutes: "int", dueDate: { type: "date", default: () => new Date(Date.now() + WEEK) },
    },
  };

  get line() {
    const mark = this.completed ? "x" : " ";
    return `${this._id} [${mark}] ${String(this.progressMinutes).padStart(4)} min  ${(this.assignee ?? "-").padEnd(9)} ${this.taskName}`;
  }
}

class Team extends Realm.Object {
  static schema = {
    name: "Team", primaryKey: "_id", properties: { _id: "objectId", teamName: "string", tasks: "Task[]", members: "string[]" },
  };
}

function fail(message) {
  console.error(`tasks: ${message}`);
  process.exitCode = 1;
}

function reportError(session, error) {
  console.error(`sync: ${error.message}`);
  if (error instanceof CompensatingWriteError) error.writes.forEach((one) => console.error(`sync: reverted ${one.objectName}: ${one.reason}`));
}

const tasksOf = (realm, query) => (query ? realm.objects(Task).filtered(query) : realm.objects(Task));

/** Waits until the server has what was written here, and this device has what the server had. */
async function synchronize(realm) {
  await realm.syncSession.uploadAllLocalChanges(TIMEOUT);
  await realm.syncSession.downloadAllServerChanges(TIMEOUT);
}

async function changeSubscriptions(realm, change) {
  const { subscriptions } = realm;
  if (subscriptions.updateNoWait(change) === false) return fail("there is no such subscription");
  await subscriptions.waitForSynchronization({ timeout: TIMEOUT });
  console.log(`subscriptions are ${subscriptions.state}`);
}

async function written(realm, task, isOffline) {
  console.log(task.line);
  if (!isOffline) await synchronize(realm);
}

/** The commands that need an open realm. */
const COMMANDS = {
  subscribe: (realm, [name, query]) => changeSubscriptions(realm, (mutable) => void mutable.add(tasksOf(realm, query), { name })),
  unsubscribe: (realm, [name]) => changeSubscriptions(realm, (mutable) => mutable.removeByName(name)),
  subscriptions({ subscriptions }) {
    console.log(`version ${subscriptions.version} is ${subscriptions.state}`);
    for (const one of subscriptions) console.log(`  ${one.name ?? ""}: ${one.objectType} where ${one.queryString}`);
  },
  list(realm, [query]) {
    const tasks = tasksOf(realm, query);
    tasks.forEach((one) => console.log(one.line));
    console.log(`${tasks.length} tasks`);
  },
  count: (realm, [query]) => console.log(tasksOf(realm, query).length),
  async add(realm, [taskName, assignee, minutes = "0"], isOffline) {
    const task = realm.write(() => realm.create(Task, { taskName, assignee, progressMinutes: Number(minutes) }));
    await written(realm, task, isOffline);
  },
  async complete(realm, [id], isOffline) {
    const task = realm.objectForPrimaryKey(Task, new ObjectId(id));
    if (!task) return fail(`there is no task ${id} on this device`);
    realm.write(() => { task.completed = true; });
    await written(realm, task, isOffline);
  },
  async sync(realm) {
    await synchronize(realm);
    console.log("in sync");
  },
  async watch(realm, [seconds]) {
    const tasks = realm.objects(Task);
    let isFirst = true;
    tasks.addListener((_, { deletions, insertions, newModifications }) => {
      if (isFirst) console.log("watching");
      isFirst = false;
      deletions.forEach((index) => console.log(`gone: task number ${index}`));
      insertions.forEach((index) => console.log(`new: ${tasks[index].line}`));
      newModifications.forEach((index) => console.log(`changed: ${tasks[index].line}`));
    });
    await sleep(Number(seconds) * 1000);
  },
};

async function run([command, ...words], options) {
  const app = new App({ id: options.app, baseUrl: options.server, baseFilePath: options.data });
  const [email, password] = words;
  if (command === "register") {
    await app.emailPasswordAuth.registerUser({ email, password });
    return console.log(`registered ${email}`);
  }
  if (command === "login") {
    const user = await app.logIn(email ? Credentials.emailPassword({ email, password }) : Credentials.anonymous());
    return console.log(`logged in as ${user.id}`);
  }
  const user = app.currentUser;
  if (!user) return fail("nobody is logged in on this device; use 'login' first");
  if (command === "logout") {
    await user.logOut();
    return console.log("logged out");
  }
  if (!(command in COMMANDS)) return fail(`there is no command '${command}'; there are register, login, logout, ${Object.keys(COMMANDS).join(", ")}`);
  const realm = new Realm({ schema: [Task, Team], sync: { user, flexible: true, startsPaused: options.offline, onError: reportError } });
  try {
    await COMMANDS[command](realm, words, options.offline);
  } finally {
    realm.close();
  }
}

const text = { type: "string" };
const { values, positionals } = parseArgs({ options: { server: text, app: text, data: text, offline: { type: "boolean" } }, allowPositionals: true });
try {
  await run(positionals, values);
} catch (error) {
  if (!(error instanceof FlexSyncError)) throw error;
  fail(error.message);
}
