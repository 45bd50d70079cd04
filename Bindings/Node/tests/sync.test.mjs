// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  CompensatingWriteError, ConnectionState, Credentials, ProgressDirection, ProgressMode, Realm, SessionState, SubscriptionSetState, UserState,
  WaitForSync,
} from "flexsync";
import { Devices, PATIENCE, Task, Team, synchronize } from "./support.mjs";

const tasks = { initialSubscriptions: { update: (mutable, realm) => mutable.add(realm.objects(Task), { name: "tasks" }) } };

test("devices share what they subscribe to", async (t) => {
  const devices = await Devices.for(t);
  const phone = await devices.open("phone", tasks);
  const laptop = await devices.open("laptop", tasks);
  assert.equal(phone.subscriptions.state, SubscriptionSetState.Complete);
  const told = [];
  laptop.objects(Task).addListener((found, changes) => told.push(changes.insertions.length));
  phone.write(() => phone.create(Task, { taskName: "Call the printer" }));
  await synchronize(phone);
  await synchronize(laptop);
  assert.equal(laptop.objects(Task)[0].taskName, "Call the printer");
  assert.ok(told.includes(1));
});

// Feature 65, 77, 186
test("subscriptions are added, found, replaced and removed", async (t) => {
  const realm = await (await Devices.for(t)).open("phone");
  const mine = realm.objects(Task).filtered("assignee == $0", "nadia");
  const set = realm.subscriptions;
  await set.update((mutable) => {
    const added = mutable.add(mine, { name: "mine" });
    assert.equal(added.queryString, 'assignee == "nadia"');
    mutable.add(realm.objects(Team));
  });
  assert.equal(set.length, 2);
  assert.equal(set.version, 1);
  assert.equal(set.findByName("mine").objectType, "Task");
  assert.equal(set.findByQuery(realm.objects(Team)).name, null);
  assert.equal(set.findByName("other"), null);
  const every = realm.objects(Task);
  await assert.rejects(set.update((mutable) => mutable.add(every, { name: "mine", throwOnUpdate: true })), {
    code: "SUBSCRIPTION_EXISTS", message: /leave out 'throwOnUpdate', or use updateQuery/,
  });
  await assert.rejects(set.update((mutable) => mutable.add(every.filtered("TRUEPREDICATE LIMIT(3)"))), { code: "QUERY_INVALID" });
  await set.update((mutable) => {
    mutable.add(mine, { name: "mine", throwOnUpdate: true });
    assert.equal(mutable.removeByObjectType(Team), 1);
    assert.equal(mutable.removeByName("nothing"), false);
  });
  assert.equal(realm.subscriptions.length, 1);
  await set.update((mutable) => assert.equal(mutable.removeAll(), 1));
  assert.equal(realm.subscriptions.isEmpty, true);
  await assert.rejects(realm.objects(Team).filtered("ANY tasks.completed == true").subscribe(), /Invalid query/);
});

// Feature 39
test("results subscribe and unsubscribe", async (t) => {
  const realm = await (await Devices.for(t)).open("phone");
  const every = await realm.objects(Task).subscribe({ name: "every", behavior: WaitForSync.Always, timeout: PATIENCE });
  assert.deepEqual(every.completeness().isComplete, true);
  assert.equal(realm.subscriptions.findByName("every").queryString, "TRUEPREDICATE");
  realm.write(() => realm.create(Task, { taskName: "x" }));
  await synchronize(realm);
  await every.unsubscribeAndWait({ timeout: PATIENCE });
  assert.equal(every.length, 0);
  assert.throws(() => realm.write(() => realm.create(Task, {})), { code: "NO_SUBSCRIPTION_FOR_WRITE" });
});

// Feature 29
test("a subscription that takes too long stays, and the results come as they are", async (t) => {
  const realm = await (await Devices.for(t)).open("phone");
  realm.syncSession.pause();
  const results = realm.objects(Task);
  assert.equal(await results.subscribe({ name: "late", timeout: 20 }), results);
  await assert.rejects(results.subscribe({ name: "later", timeout: 20, throwOnTimeout: true }), { code: "TIMED_OUT" });
  assert.equal(realm.subscriptions.findByName("late").objectType, "Task");
});

test("a write outside of the subscriptions is reverted, told and kept", async (t) => {
  const devices = await Devices.for(t);
  const errors = [];
  const realm = await devices.open("phone", { onError: (session, error) => errors.push([session, error]) });
  await realm.objects(Task).filtered("progressMinutes > 100").subscribe();
  const { _id } = realm.write(() => realm.create(Task, { taskName: "outside" }));
  for (let waited = 0; !errors.length && waited < PATIENCE; waited += 20) await sleep(20);
  const [session, error] = errors[0];
  assert.ok(error instanceof CompensatingWriteError);
  assert.equal(session.user.id, realm.syncSession.user.id);
  assert.deepEqual(error.writes.map((one) => [one.objectName, String(one.primaryKey)]), [["Task", String(_id)]]);
  assert.equal(realm.rejectedWrites.length, 1);
  const write = realm.rejectedWrites.at(0);
  assert.equal(write.state, "kept");
  realm.write(() => {
    realm.rejectedWrites.resubmit(write);
    realm.objectForPrimaryKey(Task, _id).progressMinutes = 200;
  });
  await synchronize(realm);
  assert.equal(realm.rejectedWrites.length, 0);
});

test("a session pauses, resumes and tells its connection and progress", async (t) => {
  const realm = await (await Devices.for(t)).open("phone", tasks);
  const session = realm.syncSession;
  const states = [];
  const progress = [];
  session.addConnectionNotification((now) => states.push(now));
  session.addProgressNotification(ProgressDirection.Upload, ProgressMode.ReportIndefinitely, (done, all) => progress.push(done <= all));
  assert.equal(session.state, SessionState.Active);
  session.pause();
  assert.equal(session.state, SessionState.Inactive);
  realm.write(() => realm.create(Task, { taskName: "later" }));
  session.resume();
  await synchronize(realm);
  assert.ok(session.isConnected());
  assert.ok(states.includes(ConnectionState.Disconnected) && states.includes(ConnectionState.Connected));
  assert.ok(progress.length > 0 && progress.every(Boolean));
  realm.close();
  assert.equal(session.state, SessionState.Invalid);
});

// Feature 139
test("one of the processes that have a realm open is its sync agent, until it pauses", async (t) => {
  const devices = await Devices.for(t);
  const realm = await devices.open("phone", tasks);
  const { syncSession } = realm;
  // The library's turn of the loop asks for it.
  for (let waited = 0; !syncSession.isSyncAgent && waited < PATIENCE; waited += 5) await sleep(5);
  assert.equal(syncSession.isSyncAgent, true);
  const program = fileURLToPath(new URL("agent_program.mjs", import.meta.url));
  const other = spawn(process.execPath, [program, devices.url, `${devices.folder}/phone`], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(other, "close");
  const told = [];
  for await (const line of createInterface({ input: other.stdout })) {
    told.push(line);
    if (line === "false") syncSession.pause();
    if (line === "true") assert.equal(syncSession.isSyncAgent, false);
  }
  assert.deepEqual([told, await ended], [["false", "true"], [0, null]]);
  realm.close();
  assert.equal(syncSession.isSyncAgent, false);
});

test("users register, log in, switch and leave", async (t) => {
  const app = (await Devices.for(t)).app("phone");
  const account = { email: "nadia@example.com", password: "correct horse" };
  await app.emailPasswordAuth.registerUser(account);
  await assert.rejects(app.emailPasswordAuth.registerUser(account), { code: "ACCOUNT_NAME_IN_USE", serverCode: "AccountNameInUse" });
  await assert.rejects(app.logIn(Credentials.emailPassword({ ...account, password: "wrong" })), { code: "INVALID_PASSWORD" });
  const nadia = await app.logIn(Credentials.emailPassword(account));
  assert.equal(app.currentUser, nadia);
  assert.equal(nadia.providerType, "local-userpass");
  assert.equal(nadia.state, UserState.LoggedIn);
  const guest = await app.logIn(Credentials.anonymous());
  assert.equal(Object.keys(app.allUsers).length, 2);
  app.switchUser(nadia);
  assert.equal(app.currentUser, nadia);
  await guest.logOut();
  assert.equal(guest.state, UserState.Removed);
  await nadia.logOut();
  assert.equal(nadia.isLoggedIn, false);
  await app.deleteUser(await app.logIn(Credentials.emailPassword(account)));
  assert.deepEqual(app.allUsers, {});
});

test("a login stays on the device after everything was closed", async (t) => {
  const devices = await Devices.for(t);
  const realm = await devices.open("phone", tasks);
  const { id } = realm.syncSession.user;
  realm.close();
  await sleep(50);
  assert.equal(devices.app("phone").currentUser.id, id);
  assert.equal((await devices.open("phone")).subscriptions.length, 1);
});

test("what initial subscriptions throw comes out of opening", async (t) => {
  const devices = await Devices.for(t);
  const sync = { initialSubscriptions: { update: () => { throw new Error("from the subscriptions"); } } };
  await assert.rejects(devices.open("phone", sync), /from the subscriptions/);
});
