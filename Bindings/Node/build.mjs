// SPDX-License-Identifier: Apache-2.0
/**
 * Compiles the addon, build/flexsync.node, with the C compiler. `npm install` runs it; by hand: node build.mjs
 *
 * By default it is for the installed library, which pkg-config finds. For another one, say where it is:
 *
 *     FLEXSYNC_LIBRARY   the path of libflexsync.so, which then becomes part of the package
 *     FLEXSYNC_INCLUDE   the folder of flexsync.h and flexsync.api.json
 *     NODE_INCLUDE       the folder of node_api.h, if it is neither beside this Node nor in /usr/include/node
 *     CC                 the C compiler
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rawSource } from "./raw_layer.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, "build");

const run = (program, ...words) => execFileSync(program, words, { encoding: "utf8" }).trim();
const pkgConfig = (...words) => run("pkg-config", ...words, "flexsync");

/** The first path that exists, among those that may be undefined. */
function firstExisting(what, paths) {
  const found = paths.find((one) => one && existsSync(one));
  if (!found) throw new Error(`flexsync: ${what} was not found in ${paths.filter(Boolean).join(", ")}`);
  return found;
}

function includeFolder() {
  if (process.env.FLEXSYNC_INCLUDE) return process.env.FLEXSYNC_INCLUDE;
  const checkout = resolve(here, "../../Include");
  return existsSync(join(checkout, "flexsync.h")) ? checkout : pkgConfig("--variable=includedir");
}

function nodeInclude() {
  const beside = resolve(dirname(process.execPath), "../include/node");
  return dirname(firstExisting("node_api.h, the header of Node,", [process.env.NODE_INCLUDE, beside, "/usr/include/node", "/usr/local/include/node"]
    .map((folder) => folder && join(folder, "node_api.h"))));
}

/** The name under which programs look for a library. */
function soname(path) {
  const found = /\(SONAME\).*\[(.*)\]/.exec(run("readelf", "--dynamic", path));
  return found ? found[1] : basename(path);
}

function linkOptions() {
  const path = process.env.FLEXSYNC_LIBRARY && resolve(process.env.FLEXSYNC_LIBRARY);
  if (!path) return [`-L${pkgConfig("--variable=libdir")}`, "-lflexsync", `-Wl,-rpath,${pkgConfig("--variable=libdir")}`];
  copyFileSync(path, join(output, soname(path)));
  // Named with -l, a library without SONAME is looked for by its file name and not by its path.
  return [`-L${dirname(path)}`, `-l:${basename(path)}`, "-Wl,-rpath,$ORIGIN"];
}

const include = includeFolder();
const contract = firstExisting("flexsync.api.json", [join(include, "flexsync.api.json"), join(include, "../share/flexsync/flexsync.api.json")]);
mkdirSync(output, { recursive: true });
writeFileSync(join(output, "raw.c"), rawSource(JSON.parse(readFileSync(contract, "utf8"))));
const native = join(here, "src/native");
execFileSync(process.env.CC ?? "cc", [
  "-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-unused-function", "-Wno-missing-field-initializers",
  `-I${include}`, `-I${native}`, `-isystem${nodeInclude()}`,
  ...["calls.c", "handles.c", "callbacks.c"].map((name) => join(native, name)), join(output, "raw.c"),
  "-o", join(output, "flexsync.node"), "-pthread", "-lm", ...linkOptions(),
], { stdio: "inherit" });
