// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as flexsync from "flexsync";
import { Devices, REPOSITORY } from "./support.mjs";

/** The JavaScript of a page, as one program whose lines have the numbers of the page. */
function snippets(text) {
  let isCode = false;
  return text.split("\n").map((line) => {
    if (!line.startsWith("```")) return isCode ? line : "";
    isCode = line === "```js";
    return "";
  }).join("\n");
}

for (const page of ["Docs/Node.md", "Bindings/Node/README.md", "README.md"]) {
  test(`${page} is a program`, async (t) => {
    const devices = await Devices.for(t);
    const text = readFileSync(join(REPOSITORY, page), "utf8");
    const program = snippets(text).replaceAll("http://localhost:9090", devices.url);
    // Beside this file, where the package is found.
    const path = fileURLToPath(new URL(`page-${process.pid}.mjs`, import.meta.url));
    writeFileSync(path, program);
    t.after(() => rmSync(path));
    // Twice, as readers run it: the second time with what the first has left.
    for (let runs = 0; runs < 2; runs++) await promisify(execFile)(process.execPath, [path], { cwd: devices.folder, timeout: 60_000 });
  });
}

test("the types have everything that the package exports", () => {
  const types = readFileSync(join(REPOSITORY, "Bindings/Node/index.d.ts"), "utf8");
  const missing = Object.keys(flexsync).filter((name) => name !== "default" && !new RegExp(`\\b${name}\\b`).test(types));
  assert.deepEqual(missing, []);
});
