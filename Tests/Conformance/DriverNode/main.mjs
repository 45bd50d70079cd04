// SPDX-License-Identifier: Apache-2.0
/**
 * Plays a conformance scenario through the Node package and prints its transcript. See ../README.md.
 *
 *     node DriverNode/main.mjs SCENARIO|- SERVER APP DATA SERVER_CONTROL
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Device } from "./device.mjs";

class Player {
  #devices = new Map();

  constructor(server, appId, data, control) {
    this.place = [server, appId, data];
    this.control = control;
  }

  async play(step) {
    if (step.do === "server") {
      await promisify(execFile)(this.control, [step.action]);
      console.log(`server ${step.action}ed`);
      return;
    }
    if (!this.#devices.has(step.device)) this.#devices.set(step.device, new Device(step.device, ...this.place));
    await this.#devices.get(step.device).play(step);
  }

  async playFile(path) {
    for (const step of JSON.parse(readFileSync(path, "utf8")).steps) await this.play(step);
  }

  /** Plays the steps that come in, one a line, and says after each that it is done. */
  async playInput() {
    for await (const line of createInterface({ input: process.stdin })) {
      await this.play(JSON.parse(line));
      console.log("done");
    }
  }

  close() {
    for (const device of this.#devices.values()) device.close();
  }
}

const [scenario, ...place] = process.argv.slice(2);
if (place.length !== 4) {
  console.error("usage: main.mjs SCENARIO|- SERVER APP DATA SERVER_CONTROL");
  process.exit(2);
}
const player = new Player(...place);
if (scenario === "-") await player.playInput();
else await player.playFile(scenario);
player.close();
