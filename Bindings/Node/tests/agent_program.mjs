// SPDX-License-Identifier: Apache-2.0
/** Another process with a realm that is open already, for sync.test.mjs: prints whether it is the sync agent, until it is. */
import { setTimeout as sleep } from "node:timers/promises";
import { App, Realm } from "flexsync";
import { APP_ID, Task, Team } from "./support.mjs";

const [url, folder] = process.argv.slice(2);
const { currentUser: user } = new App({ id: APP_ID, baseUrl: url, baseFilePath: folder });
const realm = new Realm({ schema: [Task, Team], sync: { user, flexible: true } });
console.log(realm.syncSession.isSyncAgent);
while (!realm.syncSession.isSyncAgent) await sleep(5);
console.log(true);
realm.close();
