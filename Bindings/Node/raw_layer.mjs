// SPDX-License-Identifier: Apache-2.0
/**
 * Generates the raw layer, the functions of the C contract as functions of JavaScript, from flexsync.api.json:
 *
 *     node raw_layer.mjs flexsync.api.json --c             the C source of the addon
 *     node raw_layer.mjs flexsync.api.json --enumerations  src/enumerations.js
 *
 * - A function has its C name and its parameters in their order, without `error`, `userdata`, `free_userdata`, counts of
 *   arrays and output parameters. It returns its result, or the output; several as an object; undefined if it returns false.
 * - A status other than OK is thrown. Structs are objects, texts are strings, arrays are arrays, ObjectIds and UUIDs are
 *   Uint8Arrays, timestamps are Dates, handles are externals. Values are what they are; those whose type JavaScript lacks are
 *   objects with `type` and `value`. Numbers are stored as doubles, BigInts as integers.
 * - A callback is a function with the callback's parameters. In a configuration, those that share userdata are given as
 *   functions all the same.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * No functions are made for the callbacks with which a program would replace the library's HTTP client, and for the one that
 * is called when the process is about to end.
 */
const NOT_CALLED = new Set(["flx_http_completion_t", "flx_http_transport_t", "flx_misuse_handler_t"]);
/** What would wait on the thread on which the loop runs, and what only memory management needs. */
const LEFT_OUT = new Set(["flx_free", "flx_app_poll_descriptor", "flx_app_pump", "flx_realm_wait_for_change"]);
/** Handles that do not belong to a realm. */
const SHARED = new Set(["flx_app_t", "flx_user_t", "flx_realm_t", "flx_reference_t"]);
/** The types whose conversions are written by hand, by the ends of their names. */
const BY_HAND = {
  flx_value_t: "value", flx_timestamp_t: "timestamp", flx_string_t: "string",
};
const BYTES = { flx_object_id_t: 12, flx_uuid_t: 16 };
/** Arrays whose count is that of another array. */
const COUNTED_BY = { "flx_object_changes_t.old_values": "property_count" };
const UNSIGNED = new Set(["uint64_t", "uint32_t", "flx_class_key_t", "flx_property_key_t"]);
const SIGNED = new Set(["int64_t", "int32_t", "int"]);
const FLOATING = new Set(["double", "float"]);

class RawLayer {
  constructor(contract) {
    this.contract = contract;
    const byName = (list) => new Map(list.map((one) => [one.name, one]));
    this.structs = byName(contract.structs);
    this.callbacks = byName(contract.callbacks);
    this.handles = byName(contract.handles);
    this.enumerations = byName(contract.enumerations);
  }

  // ---- types ----

  /** A type in its parts: base, number of `*`, whether it is constant, size of an array. */
  parts(type) {
    const array = /\[(\w+)\]$/.exec(type)?.[1];
    const plain = type.replace(/\s*\[\w+\]$/, "");
    return { base: plain.replace(/\bconst\b|\*/g, "").trim(), pointers: plain.split("*").length - 1, array };
  }

  isNumber(base) {
    return UNSIGNED.has(base) || SIGNED.has(base) || base === "size_t" || this.enumerations.has(base);
  }

  kind(base) {
    return `kind_${base.slice(4, -2)}`;
  }

  // ---- the source ----

  source() {
    const functions = this.contract.functions.filter((one) => this.isIncluded(one));
    return [
      "// Made by raw_layer.mjs from flexsync.api.json; do not edit.",
      '#include "support.h"',
      ...this.contract.handles.map((one) => this.handleKind(one)),
      ...this.contract.structs.filter((one) => this.isConverted(one.name)).flatMap((one) => this.structPrototypes(one)),
      ...[...this.callbacks.values()].filter((one) => this.isCalled(one)).map((one) => this.trampoline(one)),
      ...this.contract.structs.filter((one) => this.isConverted(one.name)).flatMap((one) => [this.structIn(one), this.structOut(one)]),
      ...functions.map((one) => this.function(one)),
      "const napi_property_descriptor raw_functions[] = {",
      ...functions.map((one) => `  {"${one.name}", NULL, raw_${one.name}, NULL, NULL, NULL, napi_enumerable, NULL},`),
      "};",
      "const size_t raw_function_count = sizeof raw_functions / sizeof *raw_functions;",
    ].join("\n") + "\n";
  }

  isIncluded(one) {
    const isBlocking = one.name.endsWith("_blocking") || LEFT_OUT.has(one.name);
    return !isBlocking && !one.parameters.some((each) => NOT_CALLED.has(each.type));
  }

  isConverted(name) {
    return !(name in BY_HAND) && !(name in BYTES) && name !== "flx_error_t" && !name.startsWith("flx_http_re");
  }

  isCalled(one) {
    return !NOT_CALLED.has(one.name) && one.name !== "flx_free_userdata_t";
  }

  handleKind(one) {
    const release = `release_${one.name.slice(4, -2)}`;
    return `static void ${release}(void *pointer) { ${one.release}(pointer); }\n`
      + `static const handle_kind ${this.kind(one.name)} = {"${one.name.slice(4, -2).replaceAll("_", " ")}", ${release}, ${!SHARED.has(one.name)}};`;
  }

  // ---- values ----

  /** A C expression for a JavaScript value. */
  valueIn(type, value, name) {
    const { base, pointers, array } = this.parts(type);
    if (base === "bool" && !pointers) return `in_bool(call, ${value})`;
    if (FLOATING.has(base) && !pointers) return `(${base})in_double(call, ${value})`;
    if (this.isNumber(base) && !pointers) return `(${base})in_integer(call, ${value})`;
    if (base in BY_HAND && !pointers) return `in_${BY_HAND[base]}(call, ${value})`;
    if (this.handles.has(base)) return `in_handle(call, ${value}, &${this.kind(base)}, true)`;
    if (base === "void" && name === "uv_loop") return "environment_loop(call)";
    if (pointers && !this.structs.has(base)) return `(void *)in_bytes(call, ${value}).data`;
    return null;
  }

  /** Statements that store a JavaScript value in a C variable of a struct's type. */
  store(base, value, target) {
    if (base in BY_HAND) return `${target} = in_${BY_HAND[base]}(call, ${value});`;
    if (base in BYTES) return `in_fixed_bytes(call, ${value}, ${target}.bytes, ${BYTES[base]});`;
    if (this.structs.has(base)) return `in_${base}(call, ${value}, &${target});`;
    return `${target} = ${this.valueIn(base, value)};`;
  }

  /** A JavaScript value for a C expression; a struct is given by value. */
  valueOut(type, expression) {
    const { base, pointers, array } = this.parts(type);
    if (base === "char" && pointers) return `js_text(env, ${expression})`;
    if (base === "char" && array) return `js_text(env, ${expression})`;
    if (base === "bool") return `js_bool(env, ${expression})`;
    if (base === "size_t") return `js_size(env, ${expression})`;
    if (UNSIGNED.has(base)) return `js_unsigned(env, ${expression})`;
    if (FLOATING.has(base)) return `js_double(env, ${expression})`;
    if (this.isNumber(base)) return `js_integer(env, ${expression})`;
    if (base === "flx_value_t") return `js_value(env, &${expression})`;
    if (base in BY_HAND) return `js_${BY_HAND[base]}(env, ${expression})`;
    if (base in BYTES) return `js_bytes(env, ${expression}.bytes, ${BYTES[base]})`;
    return `js_${base}(env, &${expression})`;
  }

  arrayOut(base, array, count, target) {
    return [
      `napi_create_array_with_length(env, ${array} ? ${count} : 0, &${target});`,
      `for (size_t index = 0; ${array} && index < ${count}; index++) {`,
      `  napi_set_element(env, ${target}, (uint32_t)index, ${this.valueOut(base, `${array}[index]`)});`,
      "}",
    ];
  }

  // ---- structs ----

  /** The members of a struct, each with its role. */
  members(struct) {
    // Zero until there are members in it.
    const members = struct.members.filter((one) => one.name !== "reserved");
    const names = new Set(members.map((one) => one.name));
    return members.map((one, index) => {
      const { base, pointers } = this.parts(one.type);
      const following = members[index + 1]?.name ?? "";
      let count = COUNTED_BY[`${struct.name}.${one.name}`];
      if (!count && pointers && /^(\w+_)?count$/.test(following) && !this.handles.has(base)) count = following;
      let role = count ? "array" : "plain";
      if (one.name === "struct_size") role = "size";
      else if (this.callbacks.has(base)) role = base === "flx_free_userdata_t" ? "hidden" : "callback";
      else if (one.name.endsWith("userdata")) role = "hidden";
      else if (members[index - 1] && /^(\w+_)?count$/.test(one.name) && this.parts(members[index - 1].type).pointers) role = "hidden";
      const userdata = names.has(`${one.name}_userdata`) ? `${one.name}_userdata` : "client_reset_userdata";
      return { ...one, base, pointers, count, role, userdata };
    });
  }

  structPrototypes(one) {
    return [
      `__attribute__((unused)) static void in_${one.name}(call *call, napi_value object, ${one.name} *result);`,
      `__attribute__((unused)) static napi_value js_${one.name}(napi_env env, const ${one.name} *value);`,
    ];
  }

  structIn(struct) {
    const body = this.members(struct).flatMap((one) => this.memberIn(one, struct));
    return `static void in_${struct.name}(call *call, napi_value object, ${struct.name} *result) {\n`
      + "  memset(result, 0, sizeof *result);\n  if (in_is_missing(call, object)) return;\n  napi_value value;\n  (void)value;\n"
      + `${body.map((line) => `  ${line}`).join("\n")}\n}\n`;
  }

  memberIn(one, struct) {
    if (one.role === "size") return [`result->struct_size = sizeof(${struct.name});`];
    if (one.role === "hidden") return [];
    const get = `if ((value = in_property(call, object, "${one.name}")))`;
    if (one.role === "callback") return [`${get} {`, ...this.callbackMember(one).map((line) => `  ${line}`), "}"];
    if (one.role === "array") return [`${get} {`, ...this.arrayIn(one.base, "value", `result->${one.name}`, `result->${one.count}`), "}"];
    if (one.name === "uv_loop") return ["result->uv_loop = result->loop_mode == FLX_LOOP_HOST_UV ? environment_loop(call) : NULL;"];
    if (one.pointers || !(this.structs.has(one.base))) {
      const converted = this.valueIn(one.type, "value", one.name);
      return converted ? [`${get} result->${one.name} = ${converted};`] : [];
    }
    return [`${get} ${this.store(one.base, "value", `result->${one.name}`)}`];
  }

  /** Callbacks that share their userdata are functions of one object there, under the names of their kinds. */
  callbackMember(one) {
    const isShared = one.userdata === "client_reset_userdata";
    return [
      `result->${one.name} = call_${one.base};`,
      `if (!result->${one.userdata}) {`,
      `  result->${one.userdata} = in_callback(call, ${isShared ? "object" : "value"});`,
      `  result->free_${one.userdata} = callback_free;`,
      "}",
    ];
  }

  arrayIn(base, value, target, count) {
    return [
      `  ${count} = in_length(call, ${value});`,
      `  ${base} *elements = call_allocate(call, ${count} * sizeof *elements);`,
      `  for (uint32_t index = 0; index < ${count}; index++) {`,
      `    ${this.store(base, `in_element(call, ${value}, index)`, "elements[index]")}`,
      "  }",
      `  ${target} = elements;`,
    ];
  }

  structOut(struct) {
    const members = this.members(struct).filter((one) => ["plain", "array"].includes(one.role) && one.base !== "void");
    const body = members.flatMap((one) => {
      if (one.role === "array") {
        return ["{", "  napi_value list;", ...this.arrayOut(one.base, `value->${one.name}`, `value->${one.count}`, "list"),
          `  js_set(env, result, "${one.name}", list);`, "}"];
      }
      if (this.handles.has(one.base) || (one.pointers && one.base !== "char")) return [];
      return [`js_set(env, result, "${one.name}", ${this.valueOut(one.type, `value->${one.name}`)});`];
    });
    return `static napi_value js_${struct.name}(napi_env env, const ${struct.name} *value) {\n`
      + `  (void)value;\n  napi_value result = js_object(env);\n${body.map((line) => `  ${line}`).join("\n")}\n  return result;\n}\n`;
  }

  // ---- callbacks ----

  trampoline(one) {
    const parameters = one.parameters.slice(1);
    const declared = one.parameters.map((each) => `${each.type} ${each.name}`).join(", ");
    const result = one.result.type;
    const early = result === "void" ? "return" : result === "flx_status_t" ? "return FLX_STATUS_CANCELED" : "return 0";
    const lines = [];
    const values = [];
    parameters.forEach((each, index) => this.argumentOut(one, parameters, index, lines, values));
    const name = one.name.slice(4, -2);
    const after = result === "bool"
      ? ["bool answer = false;", "if (returned) napi_get_value_bool(env, returned, &answer);", "callback_end(&scope);", "return answer;"]
      : result === "flx_status_t"
        ? ["flx_status_t status = returned ? FLX_STATUS_OK : callback_error(&scope, error);", "callback_end(&scope);", "return status;"]
        : ["(void)returned;", "callback_end(&scope);"];
    const posted = this.posted(one, parameters);
    return (posted ? `${posted.forward}\n` : "")
      + `static ${result} call_${one.name}(${declared}) {\n`
      + (posted ? `  if (!callback_is_on_thread(userdata)) {\n    ${posted.call}\n    return;\n  }\n` : "")
      + `  callback_scope scope;\n  if (!callback_begin(&scope, userdata)) ${early};\n  napi_env env = scope.env;\n  (void)env;\n`
      + `${lines.map((line) => `  ${line}`).join("\n")}\n  napi_value arguments[] = {${values.join(", ") || "NULL"}};\n`
      + `  napi_value returned = callback_call(&scope, "${name}", ${values.length}, arguments);\n`
      + `${after.map((line) => `  ${line}`).join("\n")}\n}\n${posted ? posted.definition : ""}`;
  }

  argumentOut(callback, parameters, index, lines, values) {
    const one = parameters[index];
    const { base, pointers } = this.parts(one.type);
    const next = parameters[index + 1]?.name;
    if (/^(\w+_)?count$/.test(one.name) && index && this.parts(parameters[index - 1].type).pointers) return;
    if (base === "flx_error_t") {
      if (one.type.startsWith("const")) values.push(`js_error(scope.environment, ${one.name})`);
    } else if (this.handles.has(base)) {
      const isOwned = callback.name === "flx_user_completion_t";
      values.push(isOwned ? `js_handle(scope.environment, ${one.name}, &${this.kind(base)}, NULL)`
        : `callback_lend(&scope, ${one.name}, &${this.kind(base)})`);
    } else if (pointers && next && /^(\w+_)?count$/.test(next)) {
      lines.push(`napi_value list_${one.name};`, ...this.arrayOut(base, one.name, next, `list_${one.name}`));
      values.push(`list_${one.name}`);
    } else {
      values.push(this.valueOut(one.type, pointers ? `(*${one.name})` : one.name));
    }
  }

  /** How a callback without a result, and with arguments that can be copied, gets to the thread of the environment. */
  posted(one, parameters) {
    if (one.result.type !== "void") return null;
    const members = parameters.map((each) => {
      const { base, pointers } = this.parts(each.type);
      if (base === "flx_error_t") return ["error", each];
      if (base === "flx_string_t" && !pointers) return ["text", each];
      return this.isNumber(base) && !pointers ? ["number", each] : null;
    });
    if (members.some((each) => !each) || new Set(members.map(([member]) => member)).size !== members.length) return null;
    const arguments_ = members.map(([member, each]) => `.${member} = ${each.name}`).join(", ");
    const values = members.map(([member, each]) => `, (${each.type})arguments->${member}`.replace("(flx_string_t)", "")).join("");
    const prototype = `static void deliver_${one.name}(void *userdata, const posted_arguments *arguments)`;
    return {
      forward: `${prototype};`,
      call: `callback_post(userdata, deliver_${one.name}, (posted_arguments){${arguments_ || "0"}});`,
      definition: `${prototype} {\n  (void)arguments;\n  call_${one.name}(userdata${values});\n}\n`,
    };
  }

  // ---- functions ----

  function(one) {
    const build = { inputs: [], late: [], names: [], outputs: [], hasError: false };
    let position = 0;
    one.parameters.forEach((each, index) => {
      position = this.parameter(one, each, index, position, build);
    });
    const { result } = one;
    const hasResult = result.type !== "void";
    const isRelease = [...this.handles.values()].some((each) => each.release === one.name);
    const called = isRelease ? "if (origin) handle_release(origin)" : `${one.name}(${build.names.join(", ")})`;
    const lines = [
      "call scope, *call = &scope;",
      "if (!call_begin(call, env, info)) return NULL;",
      "napi_value result = NULL;",
      ...build.inputs,
      "if (call->has_failed) return call_end(call, NULL);",
      ...build.late,
      ...(build.hasError ? ["flx_error_t error = {0};"] : []),
      "call_enter(call);",
      `${hasResult ? `${result.type} returned = ` : ""}${called};`,
      "call_leave(call);",
      ...this.results(one, build),
      "return call_end(call, result);",
    ];
    return `static napi_value raw_${one.name}(napi_env env, napi_callback_info info) {\n${lines.map((line) => `  ${line}`).join("\n")}\n}\n`;
  }

  /** Adds what a parameter needs, and returns the position of the next argument of JavaScript. */
  parameter(one, each, index, position, build) {
    const { base, pointers } = this.parts(each.type);
    const { name } = each;
    const argument = `call->arguments[${position}]`;
    if (name === "error" && base === "flx_error_t") {
      build.hasError = true;
      build.names.push("&error");
      return position;
    }
    if (name === "userdata" || name === "free_userdata") return position;
    if (name.startsWith("out_")) {
      this.output(each, base, pointers, build);
      return position;
    }
    if (this.callbacks.has(base)) {
      build.late.push(`callback *userdata = in_callback(call, ${argument});`);
      build.names.push(`userdata ? call_${base} : NULL`, "userdata", "userdata ? callback_free : NULL");
      return position + 1;
    }
    if (/^(\w+_)?count$/.test(name) && one.parameters[index - 1]?.count === name) {
      build.names.push(name);
      return position;
    }
    build.names.push(name);
    if (each.count) this.arrayParameter(each, base, pointers, argument, build);
    else if (this.handles.has(base)) this.handleParameter(one, each, base, index, argument, build);
    else if (pointers && (this.structs.has(base))) this.structParameter(each, base, argument, build);
    else if (this.structs.has(base) && !(base in BY_HAND)) build.inputs.push(`${base} ${name} = {0};`, this.store(base, argument, name));
    else build.inputs.push(`${each.type} ${name} = ${this.valueIn(each.type, argument, name)};`);
    return position + 1;
  }

  handleParameter(one, each, base, index, argument, build) {
    const isRelease = this.handles.get(base).release === one.name;
    build.inputs.push(`${each.type} ${each.name} = in_handle(call, ${argument}, &${this.kind(base)}, ${isRelease || each.nullable === true});`, `(void)${each.name};`);
    if (index === 0) build.inputs.push(`handle *origin = in_handle_itself(call, ${argument});`, "(void)origin;");
  }

  structParameter(each, base, argument, build) {
    build.inputs.push(`${base} given_${each.name} = {0};`, this.store(base, argument, `given_${each.name}`),
      `${base} *${each.name} = ${each.nullable ? `in_is_missing(call, ${argument}) ? NULL : ` : ""}&given_${each.name};`);
  }

  arrayParameter(each, base, pointers, argument, build) {
    const count = each.count;
    const element = this.handles.has(base) ? `${base} *` : `${base} `;
    build.inputs.push(
      `size_t ${count} = in_length(call, ${argument});`,
      `${element}*${each.name} = call_allocate(call, ${count} * sizeof *${each.name});`,
      `for (uint32_t index = 0; index < ${count}; index++) {`,
      `  ${this.handles.has(base)
        ? `${each.name}[index] = in_handle(call, in_element(call, ${argument}, index), &${this.kind(base)}, false);`
        : this.store(base, `in_element(call, ${argument}, index)`, `${each.name}[index]`)}`,
      "}",
    );
  }

  output(each, base, pointers, build) {
    if (base === "char" && pointers === 1) {
      build.late.push(`char ${each.name}[FLX_DECIMAL_TEXT_SIZE + 1] = "";`);
      build.names.push(each.name);
    } else {
      build.late.push(`${base} ${pointers === 2 ? "*" : ""}${each.name} = {0};`.replace("* {0}", "*"));
      build.names.push(`&${each.name}`);
    }
    build.outputs.push({ ...each, base, pointers });
  }

  /** The statements that make the result of JavaScript. */
  results(one, build) {
    const { result } = one;
    const lines = [];
    if (result.type === "flx_status_t") {
      lines.push(`if (returned) {`, `  call_fail_with(call, returned, ${build.hasError ? "&error" : "NULL"});`, "  return call_end(call, NULL);", "}");
    }
    if (one.name === "flx_user_identities_copy") return [...lines, ...this.arrayOut("flx_user_identity_t", "returned", "out_count", "result"), "flx_free(returned);"];
    const ends = one.name === "flx_subscription_update_commit" ? ["handle_forget(origin);"] : [];
    const outs = build.outputs.map((each) => [each.name.slice(4), this.outputValue(each)]);
    const own = this.ownResult(one);
    if (own && !outs.length) lines.push(`result = ${own};`);
    else if (outs.length === 1 && result.type === "bool") lines.push(`if (returned) result = ${outs[0][1]};`);
    else if (outs.length === 1 && !own) lines.push(`result = ${outs[0][1]};`);
    else if (outs.length) {
      lines.push("result = js_object(env);", ...outs.map(([name, value]) => `js_set(env, result, "${name}", ${value});`));
      if (own) lines.push(`js_set(env, result, "result", ${own});`);
    }
    return [...lines, ...ends];
  }

  outputValue(each) {
    if (each.base === "char") return `js_text(env, ${each.name})`;
    if (this.handles.has(each.base)) {
      const origin = each.base === "flx_realm_t" ? "NULL" : "ORIGIN";
      return `js_handle(call->environment, ${each.name}, &${this.kind(each.base)}, ${origin})`;
    }
    return this.valueOut(each.base, each.name);
  }

  ownResult(one) {
    const { type, owned } = one.result;
    const { base, pointers } = this.parts(type);
    if (type === "void" || type === "flx_status_t") return null;
    if (base === "char") return owned === "flx_free" ? "js_freed_text(env, returned)" : "js_text(env, returned)";
    if (this.handles.has(base)) {
      const pointer = owned ? "returned" : `${base.slice(0, -2)}_retain(returned)`;
      return `js_handle(call->environment, ${pointer}, &${this.kind(base)}, ORIGIN)`;
    }
    return this.valueOut(type, "returned");
  }
}

/** The C source of the raw layer. */
export function rawSource(contract) {
  const layer = new RawLayer(contract);
  // The handle that a result was obtained from, if the function has one.
  return layer.source().split("static napi_value raw_").map((text) => {
    const hasOrigin = text.includes("handle *origin");
    return text.replaceAll("ORIGIN", hasOrigin ? "origin" : "NULL");
  }).join("static napi_value raw_");
}

const OPENING = `// SPDX-License-Identifier: Apache-2.0
// Made by raw_layer.mjs from flexsync.api.json; do not edit.
/** The enumerations of the library, by the ends of their C names. */
`;

/** The text of src/enumerations.js. */
export function enumerations(contract) {
  const parts = contract.enumerations.map((one) => {
    const name = one.name.slice(4, -2).split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("");
    const names = one.values.map((each) => each.name);
    let prefix = names[0].slice(0, names[0].lastIndexOf("_") + 1);
    while (!names.every((each) => each.startsWith(prefix))) prefix = prefix.slice(0, prefix.slice(0, -1).lastIndexOf("_") + 1);
    const values = one.values.map((each) => `  ${each.name.slice(prefix.length)}: ${each.value},`).join("\n");
    return `export const ${name} = Object.freeze({\n${values}\n});\n`;
  });
  return OPENING + "\n" + parts.join("\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , path, form] = process.argv;
  const contract = JSON.parse(readFileSync(path, "utf8"));
  process.stdout.write(form === "--c" ? rawSource(contract) : enumerations(contract));
}
