/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file What the generated raw layer (raw_layer.mjs) is made of: calls from JavaScript, conversions, handles and callbacks.
 *
 * Everything is confined to the thread of the environment, except where a comment says otherwise.
 */
#ifndef FLEXSYNC_NODE_SUPPORT_H
#define FLEXSYNC_NODE_SUPPORT_H

#define NAPI_VERSION 8
#include <flexsync.h>
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

/** The most arguments that a function or a callback has. */
#define MAX_ARGUMENTS 12

typedef struct environment environment;

// ---- calls ----

/** Memory that lives as long as a call. */
typedef struct arena_block {
  struct arena_block *next;
  max_align_t data[];
} arena_block;

/** A call from JavaScript into the library. Once it has failed, a JavaScript exception is pending. */
typedef struct call {
  environment *environment;
  napi_env env;
  arena_block *memory;
  napi_value arguments[MAX_ARGUMENTS];
  bool has_failed;
} call;

/** Begins a call; false if the environment cannot be called any more. */
bool call_begin(call *call, napi_env env, napi_callback_info info);
/** Ends a call. Throws what a callback has thrown in the meantime; `result` is then dropped. */
napi_value call_end(call *call, napi_value result);
/** Zeroed memory that is freed when the call ends. */
void *call_allocate(call *call, size_t size);
/** Throws a TypeError, unless something was thrown already. */
void call_fail(call *call, const char *message);
/** Throws the error of the library. */
void call_fail_with(call *call, flx_status_t status, const flx_error_t *error);
/** Marks the part of a call in which the library runs, and may call back. */
void call_enter(call *call);
void call_leave(call *call);

// ---- from JavaScript; undefined and null are zero, empty or NULL ----

bool in_bool(call *call, napi_value value);
/** Numbers and BigInts. Numbers beyond 2^63 − 1 come as the same bits. */
int64_t in_integer(call *call, napi_value value);
double in_double(call *call, napi_value value);
/** Strings, and bytes as they are. */
flx_string_t in_string(call *call, napi_value value);
/** A pointer to the bytes of an ArrayBuffer, a typed array or a DataView. */
flx_string_t in_bytes(call *call, napi_value value);
void in_fixed_bytes(call *call, napi_value value, uint8_t *bytes, size_t size);
flx_timestamp_t in_timestamp(call *call, napi_value value);
flx_value_t in_value(call *call, napi_value value);
bool in_is_missing(call *call, napi_value value);
/** A property of an object; NULL if it is undefined. */
napi_value in_property(call *call, napi_value object, const char *name);
uint32_t in_length(call *call, napi_value array);
napi_value in_element(call *call, napi_value array, uint32_t index);

// ---- to JavaScript ----

napi_value js_bool(napi_env env, bool value);
/** A number, or a BigInt if it is not a safe integer. */
napi_value js_integer(napi_env env, int64_t value);
napi_value js_unsigned(napi_env env, uint64_t value);
/** As `js_unsigned`, and −1 for `SIZE_MAX`. */
napi_value js_size(napi_env env, size_t value);
napi_value js_double(napi_env env, double value);
napi_value js_string(napi_env env, flx_string_t string);
/** null for NULL. */
napi_value js_text(napi_env env, const char *text);
napi_value js_freed_text(napi_env env, char *text);
napi_value js_bytes(napi_env env, const void *bytes, size_t size);
napi_value js_timestamp(napi_env env, flx_timestamp_t timestamp);
napi_value js_value(napi_env env, const flx_value_t *value);
napi_value js_error(environment *environment, const flx_error_t *error);
napi_value js_null(napi_env env);
napi_value js_object(napi_env env);
void js_set(napi_env env, napi_value object, const char *name, napi_value value);

// ---- handles ----

/** A kind of handle. */
typedef struct handle_kind {
  const char *name;
  void (*release)(void *pointer);
  /** Whether handles of this kind belong to the realm from which they were obtained, and are released with it. */
  bool belongs_to_realm;
} handle_kind;

/** What an external of JavaScript points to. */
typedef struct handle handle;

/** The pointer of an argument; NULL, without failing, if it may be missing and is. */
void *in_handle(call *call, napi_value value, const handle_kind *kind, bool may_be_missing);
/** The handle itself, to release it or to give something to its realm; NULL if there is none. */
handle *in_handle_itself(call *call, napi_value value);
/** Wraps an owned pointer; null for NULL. `origin` is the handle it was obtained from, or NULL. */
napi_value js_handle(environment *environment, void *pointer, const handle_kind *kind, handle *origin);
/** Forgets the pointer, which the library has released. */
void handle_forget(handle *handle);
/** Releases the pointer, and those that belong to it. */
void handle_release(handle *handle);

// ---- callbacks ----

/** A function of JavaScript, or an object with functions by the kinds of their callbacks, as userdata of the library. */
typedef struct callback callback;

/** Makes userdata; NULL if the value is missing. The library frees it with `callback_free`. */
callback *in_callback(call *call, napi_value value);
/** Frees userdata. Any thread. */
void callback_free(void *userdata);

/** A call of a function of JavaScript by the library. */
typedef struct callback_scope {
  callback *callback;
  environment *environment;
  napi_env env;
  napi_handle_scope handles;
  handle *borrowed[2];
  size_t borrowed_count;
  napi_value thrown;
  /** Whether the library is told of it; otherwise it counts as uncaught, unless a call of the library is under way. */
  bool is_told;
} callback_scope;

/** Begins a call of JavaScript; false on another thread, and once the environment ends. Any thread. */
bool callback_begin(callback_scope *scope, void *userdata);
/** Wraps a handle that the library lends for the call. */
napi_value callback_lend(callback_scope *scope, void *pointer, const handle_kind *kind);
/** Calls the function for a kind of callback; NULL if it has thrown, which is kept for later. */
napi_value callback_call(callback_scope *scope, const char *kind, size_t count, const napi_value *arguments);
void callback_end(callback_scope *scope);
/** Fills in an error for what the function has thrown. */
flx_status_t callback_error(callback_scope *scope, flx_error_t *error);

/** The arguments of a call that another thread makes. */
typedef struct posted_arguments {
  int64_t number;
  const flx_error_t *error;
  flx_string_t text;
} posted_arguments;

/** Makes the thread of the environment call `deliver` with copies of the arguments. Any thread. */
void callback_post(void *userdata, void (*deliver)(void *userdata, const posted_arguments *arguments),
                   posted_arguments arguments);

// ---- the module ----

/** The event loop of the environment. */
void *environment_loop(call *call);
/** Whether the caller is on the thread of the environment of the userdata. Any thread. */
bool callback_is_on_thread(void *userdata);

/** The functions of the raw layer, ended by one without a name. */
extern const napi_property_descriptor raw_functions[];
extern const size_t raw_function_count;

#endif
