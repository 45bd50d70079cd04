// SPDX-License-Identifier: Apache-2.0
/** A process may end at any moment, also while the library calls it; and it ends by itself once its realms are closed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Devices } from "./support.mjs";

const EXITS = Number(process.env.FLEXSYNC_EXITS ?? 30);
const PROGRAM = fileURLToPath(new URL("exit_program.mjs", import.meta.url));

async function run(devices, seed, kind) {
  const device = `${devices.folder}/device${kind}${seed}`;
  const program = spawn(process.execPath, [PROGRAM, devices.url, device, String(seed), kind], { stdio: ["ignore", "ignore", "pipe"] });
  const killer = setTimeout(() => program.kill("SIGABRT"), 30_000);
  let errors = "";
  program.stderr.on("data", (data) => { errors += data; });
  const [code, signal] = await once(program, "close");
  clearTimeout(killer);
  return { code, signal, errors };
}

test(`${EXITS} exits while callbacks run neither crash nor hang`, async (t) => {
  const devices = await Devices.for(t);
  for (let seed = 0; seed < EXITS; seed += 2) {
    const ended = await Promise.all([run(devices, seed, "exit"), run(devices, seed + 1, "exit")]);
    ended.forEach(({ code, signal, errors }, index) => assert.deepEqual([code, signal], [7, null], `seed ${seed + index}: ${errors}`));
  }
});

test("a process ends by itself once its realms are closed", async (t) => {
  const devices = await Devices.for(t);
  const ended = await Promise.all([run(devices, 0, "close"), run(devices, 1, "close")]);
  for (const { code, signal, errors } of ended) assert.deepEqual([code, signal], [0, null], errors);
});

test("a process that only looks at its users ends at once, without waiting for the collector", async (t) => {
  const devices = await Devices.for(t);
  const begin = performance.now();
  const { code, signal, errors } = await run(devices, 0, "users");
  assert.deepEqual([code, signal], [0, null], errors);
  assert.ok(performance.now() - begin < 5000, "the process has lived until the collector ran");
});

test("a local realm does not keep the process alive", async (t) => {
  const devices = await Devices.for(t);
  const { code, signal, errors } = await run(devices, 0, "local");
  assert.deepEqual([code, signal], [0, null], errors);
});
