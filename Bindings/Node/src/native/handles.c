/* SPDX-License-Identifier: Apache-2.0 */
/** @file Handles of the library as externals, which are released with the realm they belong to, or by the collector. */
#include "environment.h"

#include <stdio.h>

struct handle {
  void *pointer;
  const handle_kind *kind;
  /** The realm it belongs to, and its neighbours there. */
  handle *realm, *next, *previous;
  /** For a realm, what belongs to it. */
  handle *first;
  bool is_borrowed;
};

static const napi_type_tag handle_tag = {0x666c657873796e63, 0x68616e646c650001};

static void unlink_from_realm(handle *handle) {
  if (!handle->realm) return;
  if (handle->previous) handle->previous->next = handle->next;
  else handle->realm->first = handle->next;
  if (handle->next) handle->next->previous = handle->previous;
  handle->realm = handle->next = handle->previous = NULL;
}

void handle_forget(handle *handle) {
  handle->pointer = NULL;
  unlink_from_realm(handle);
}

void handle_release(handle *handle) {
  while (handle->first) handle_release(handle->first);
  void *pointer = handle->pointer;
  handle_forget(handle);
  if (pointer && !handle->is_borrowed) handle->kind->release(pointer);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  handle_release(data);
  free(data);
}

static napi_value wrap(napi_env env, void *pointer, const handle_kind *kind, handle *realm, bool is_borrowed, handle **out) {
  handle *one = calloc(1, sizeof *one);
  if (!one) abort();
  *one = (handle){.pointer = pointer, .kind = kind, .realm = realm, .is_borrowed = is_borrowed};
  if (realm) {
    one->next = realm->first;
    if (one->next) one->next->previous = one;
    realm->first = one;
  }
  napi_value result;
  napi_create_external(env, one, finalize, NULL, &result);
  napi_type_tag_object(env, result, &handle_tag);
  if (out) *out = one;
  return result;
}

napi_value js_handle(environment *environment, void *pointer, const handle_kind *kind, handle *origin) {
  if (!pointer) return js_null(environment->env);
  handle *realm = NULL;
  if (origin && kind->belongs_to_realm) realm = origin->realm ? origin->realm : origin->kind->belongs_to_realm ? NULL : origin;
  return wrap(environment->env, pointer, kind, realm, false, NULL);
}

napi_value callback_lend(callback_scope *scope, void *pointer, const handle_kind *kind) {
  if (!pointer) return js_null(scope->env);
  return wrap(scope->env, pointer, kind, NULL, true, &scope->borrowed[scope->borrowed_count++]);
}

handle *in_handle_itself(call *call, napi_value value) {
  void *data = NULL;
  bool is_handle = false;
  if (in_is_missing(call, value) || napi_check_object_type_tag(call->env, value, &handle_tag, &is_handle) || !is_handle) return NULL;
  napi_get_value_external(call->env, value, &data);
  return data;
}

void *in_handle(call *call, napi_value value, const handle_kind *kind, bool may_be_missing) {
  if (may_be_missing && in_is_missing(call, value)) return NULL;
  handle *one = in_handle_itself(call, value);
  char message[100];
  if (!one || one->kind != kind) {
    snprintf(message, sizeof message, "a handle of the kind '%s' is needed", kind->name);
    call_fail(call, message);
    return NULL;
  }
  if (!one->pointer && !may_be_missing) {
    flx_error_t error = {.status = FLX_STATUS_OBJECT_INVALIDATED};
    snprintf(error.message, sizeof error.message, "The %s was closed, or its realm was.", kind->name);
    call_fail_with(call, error.status, &error);
  }
  return one->pointer;
}

static void release_result(environment *environment, napi_value value) {
  bool is_handle = false;
  void *data = NULL;
  if (napi_check_object_type_tag(environment->env, value, &handle_tag, &is_handle) || !is_handle) return;
  napi_get_value_external(environment->env, value, &data);
  handle_release(data);
}

void environment_release_results(environment *environment, napi_value result) {
  napi_valuetype type = napi_undefined;
  napi_typeof(environment->env, result, &type);
  if (type == napi_external) release_result(environment, result);
}
