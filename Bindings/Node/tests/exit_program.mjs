// SPDX-License-Identifier: Apache-2.0
/**
 * The program of exit.test.mjs: has all callbacks called, and ends in the middle of it ("exit"), or closes its realms
 * ("close"); has a local realm ("local"), or only looks at its users ("users").
 */
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { App, Credentials, ProgressDirection, ProgressMode, Realm } from "flexsync";
import { APP_ID, Task, Team } from "./support.mjs";

const [url, folder, number, kind] = process.argv.slice(2);
const seed = Number(number);
let calls = 0;
const called = () => {
  calls += 1;
  if (kind === "exit" && seed % 5 === 4 && calls > 60 + seed) process.exit(7);
};

function observe(realm) {
  realm.addListener("change", called);
  realm.objects(Task).addListener(called);
  if (kind === "local") return;
  realm.subscriptions.addStateListener(called);
  realm.syncSession.addConnectionNotification(called);
  realm.syncSession.addProgressNotification(ProgressDirection.Upload, ProgressMode.ReportIndefinitely, called);
}

async function lookAtUsers() {
  const app = new App({ id: APP_ID, baseUrl: url, baseFilePath: folder });
  const user = await app.logIn(Credentials.anonymous());
  if (app.currentUser !== user || app.allUsers[user.id] !== user) process.exit(8);
}

async function openSynced() {
  Realm.setLogger(called);
  Realm.setLogLevel("all");
  const app = new App({ id: APP_ID, baseUrl: url, baseFilePath: folder });
  const user = await app.logIn(Credentials.anonymous());
  const sync = { user, flexible: true, onError: called, initialSubscriptions: { update: (mutable, realm) => mutable.add(realm.objects(Task)) } };
  const config = { schema: [Task, Team], sync };
  return seed % 2 ? Realm.open(config) : new Realm(config);
}

function openLocal() {
  mkdirSync(folder, { recursive: true });
  return new Realm({ path: `${folder}/local.realm`, schema: [Task, Team] });
}

async function useRealm() {
  const realm = kind === "local" ? openLocal() : await openSynced();
  observe(realm);
  for (let index = 0; index < 20; index++) realm.write(() => realm.create(Task, { taskName: `task ${index}` }));
  if (kind === "close") {
    realm.objects(Task)[0].freeze();
    await realm.syncSession.uploadAllLocalChanges();
    realm.close();
  } else if (kind === "exit") {
    await sleep((seed % 7) * 3);
    if (seed % 3 === 0) void realm.syncSession.downloadAllServerChanges();
    if (seed % 11 === 0) realm.beginTransaction();
    process.exit(7);
  }
}

await (kind === "users" ? lookAtUsers() : useRealm());
