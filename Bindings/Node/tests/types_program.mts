// SPDX-License-Identifier: Apache-2.0
/** What a program in TypeScript may write, with the names of Realm's SDK; and what it must not. It is compiled, not run. */
import Realm, { App, CompensatingWriteError, Credentials, Decimal128, FlexSyncError, ObjectId } from "flexsync";
import type { Results } from "flexsync";

declare function use(...values: unknown[]): void;

class Task extends Realm.Object {
  declare _id: Realm.BSON.ObjectId;
  declare taskName: string;
  declare minutes: number | bigint;
  declare labels: Realm.Set<string>;
  declare parts: Realm.List<Task>;
  declare minutesByDay: Realm.Dictionary<number>;
  declare owner: Task | null;

  static schema: Realm.ObjectSchema = {
    name: "Task",
    primaryKey: "_id",
    properties: {
      _id: { type: "objectId", default: () => new ObjectId() }, taskName: "string", minutes: "int", labels: "string<>", parts: "Task[]",
      minutesByDay: "int{}", owner: "Task",
    },
  };
}

const configuration: Realm.Configuration = {
  path: "tasks.realm",
  schema: [Task],
  schemaVersion: 1,
  onMigration: (before, after) => use(before.objects("Task").length, after.schemaVersion),
};
const realm: Realm = await Realm.open(configuration);

// Objects, results and collections have the types of their classes.
const task: Task = realm.write(() => realm.create(Task, { taskName: "Write", labels: ["office"] }));
const long: Results<Task> = realm.objects(Task).filtered("minutes > $0", 5).sorted("taskName", true);
const same: Realm.Results<Task> = long;
for (const one of same) use(one.taskName, one.labels.has("office"), one.parts[0]?.owner?.taskName, one.minutesByDay.get("monday"));
use(realm.objectForPrimaryKey(Task, task._id)?.taskName, realm.objectForPrimaryKey<Task>("Task", task._id)?.taskName);
task.increment("minutes", 5n);
task.addListener((one, { deleted, changedProperties }) => use(one.isValid(), deleted, changedProperties), "owner.taskName");
long.addListener((found, { insertions }) => insertions.forEach((index) => use(found[index]?.taskName)));
use(new Decimal128("1").plus(2).compare("3"), realm.write(() => 5) + 1);

// Apps and sync.
const app: Realm.App = new App({ id: "tasktracker-abcde", baseUrl: "http://localhost:9090" });
const user: Realm.User = await app.logIn(Credentials.anonymous());
const synced = await Realm.open({
  schema: [Task],
  sync: {
    user,
    flexible: true,
    initialSubscriptions: { update: (mutable, opened) => mutable.add(opened.objects(Task), { name: "all" }) },
    onError: (session, error) => use(session?.state, error instanceof CompensatingWriteError ? error.writes[0]?.reason : error.message),
  },
});
const session: Realm.SyncSession | null = synced.syncSession;
await session?.uploadAllLocalChanges(10_000);
await synced.objects(Task).subscribe({ name: "all", behavior: Realm.WaitForSync.Always, timeout: 10_000 });
try {
  await synced.subscriptions.update((mutable) => mutable.removeAll());
} catch (error) {
  if (error instanceof FlexSyncError) use(error.code, error.status);
}

// @ts-expect-error: a query is text
long.filtered(5);
// @ts-expect-error: an app needs a base URL
new App({ id: "tasktracker-abcde" });
// @ts-expect-error: a transaction calls a function
realm.write(5);
// @ts-expect-error: a transaction does not wait
realm.write(async () => task.isValid());
