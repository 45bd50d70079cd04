// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { APP_ID, Devices } from "./support.mjs";

const SAMPLE = fileURLToPath(new URL("samples/tasks.mjs", import.meta.resolve("flexsync").replace("src/index.js", "")));

const wordsFor = (devices, device, words) => [SAMPLE, "--server", devices.url, "--app", APP_ID, "--data", join(devices.folder, device), ...words];

function run(devices, device, ...words) {
  return new Promise((resolve) => {
    execFile(process.execPath, wordsFor(devices, device, words), { timeout: 60_000 }, (error, output, errors) => resolve({
      code: error?.code ?? 0, output: output.trim(), errors,
    }));
  });
}

test("two devices share tasks", async (t) => {
  const devices = await Devices.for(t);
  const succeed = async (device, ...words) => {
    const { code, output, errors } = await run(devices, device, ...words);
    assert.equal(code, 0, errors);
    return output;
  };
  for (const [device, email] of [["phone", "nadia@example.com"], ["laptop", "mateo@example.com"]]) {
    assert.equal(await succeed(device, "register", email, "password"), `registered ${email}`);
    assert.match(await succeed(device, "login", email, "password"), /^logged in as /);
    assert.equal(await succeed(device, "subscribe", "hers", "assignee == 'Nadia'"), "subscriptions are complete");
  }
  const watcher = spawn(process.execPath, wordsFor(devices, "laptop", ["watch", "60"]), { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, "watching");
  const added = await succeed("phone", "add", "Call the printer", "Nadia", "10");
  assert.equal((await lines.next()).value, `new: ${added}`);
  watcher.kill("SIGKILL");
  await once(watcher, "close");
  await succeed("phone", "--offline", "add", "Written offline", "Nadia", "5");
  assert.equal(await succeed("phone", "sync"), "in sync");
  await succeed("laptop", "sync");
  assert.equal(await succeed("laptop", "count"), "2");
  await succeed("laptop", "complete", added.split(" ")[0]);
  await succeed("phone", "sync");
  assert.match(await succeed("phone", "list", "completed == true"), /1 tasks$/);
  assert.equal(await succeed("phone", "unsubscribe", "hers"), "subscriptions are complete");
  assert.equal(await succeed("phone", "logout"), "logged out");
});

test("mistakes are told", async (t) => {
  const { code, errors } = await run(await Devices.for(t), "phone", "list");
  assert.deepEqual([code, errors], [1, "tasks: nobody is logged in on this device; use 'login' first\n"]);
});
