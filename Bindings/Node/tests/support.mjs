// SPDX-License-Identifier: Apache-2.0
/** What the tests share: folders, classes, and a server in a process of its own. FLEXSYNCD is the path of the server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { App, Credentials, ObjectId, Realm } from "flexsync";

/** The repository. */
export const REPOSITORY = resolve(process.env.FLEXSYNC_REPOSITORY ?? ".");
export const APP_ID = "tasktracker-abcde";
export const PATIENCE = 20_000;

export class Task extends Realm.Object {
  static schema = {
    name: "Task",
    primaryKey: "_id",
    properties: {
      _id: { type: "objectId", default: () => new ObjectId() }, taskName: "string", assignee: "string?", completed: "bool",
      progressMinutes: "int", dueDate: { type: "date", default: () => new Date() },
    },
  };
}

export class Team extends Realm.Object {
  static schema = {
    name: "Team",
    primaryKey: "_id",
    properties: { _id: { type: "objectId", default: () => new ObjectId() }, teamName: "string", tasks: "Task[]", members: "string[]" },
  };
}

/** The servers, by the folders that they write to. */
const servers = new Map();

/** A folder that is deleted after a test, once the server that writes to it has ended. */
export function folderFor(test) {
  const folder = mkdtempSync(join(tmpdir(), "flexsync-node."));
  test.after(async () => {
    await end(servers.get(folder));
    servers.delete(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

async function end(server) {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.ref();
  server.kill("SIGKILL");
  await ended;
}

/** A flexsyncd that serves Examples/TaskTracker until a folder of `folderFor` is deleted. Returns its URL. */
export async function serverFor(folder) {
  const words = ["serve", "--app", join(REPOSITORY, "Examples/TaskTracker"), "--data", join(folder, "server"), "--listen", "127.0.0.1:0"];
  const server = spawn(process.env.FLEXSYNCD, words, { stdio: ["ignore", "ignore", "pipe"] });
  servers.set(folder, server);
  process.once("exit", () => server.kill("SIGKILL"));
  for await (const line of createInterface({ input: server.stderr })) {
    const found = /listening on ([0-9.:]+)/.exec(line);
    if (found) {
      server.stderr.resume();
      server.stderr.unref();
      server.unref();
      return `http://${found[1]}`;
    }
  }
  throw new Error("the server did not start");
}

/** Devices that sync with one server. */
export class Devices {
  static async for(test) {
    const folder = folderFor(test);
    return new Devices(test, folder, await serverFor(folder));
  }

  constructor(test, folder, url) {
    Object.assign(this, { test, folder, url });
  }

  app(device) {
    return new App({ id: APP_ID, baseUrl: this.url, baseFilePath: join(this.folder, device) });
  }

  /** The realm of an anonymous user, who has all tasks. It is closed after the test. */
  async open(device, sync = {}) {
    const app = this.app(device);
    const user = app.currentUser ?? (await app.logIn(Credentials.anonymous()));
    const realm = await Realm.open({ schema: [Task, Team], sync: { user, flexible: true, ...sync } });
    this.test.after(() => realm.close());
    return realm;
  }
}

export async function synchronize(realm) {
  await realm.syncSession.uploadAllLocalChanges(PATIENCE);
  await realm.syncSession.downloadAllServerChanges(PATIENCE);
}
