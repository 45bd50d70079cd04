/* SPDX-License-Identifier: Apache-2.0 */
/** @file Calls from JavaScript, and values between the two. */
#include "environment.h"

#include <math.h>
#include <stdio.h>

// ---- calls ----

bool call_begin(call *call, napi_env env, napi_callback_info info) {
  *call = (struct call){.env = env};
  size_t count = MAX_ARGUMENTS;
  napi_get_cb_info(env, info, &count, call->arguments, NULL, (void **)&call->environment);
  return call->environment != NULL;
}

napi_value call_end(call *call, napi_value result) {
  for (arena_block *block = call->memory, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  if (call->environment->depth || !call->environment->thrown) return call->has_failed ? NULL : result;
  // The library's own error for a callback that has thrown; as long as it is pending, nothing can be read.
  bool is_pending = false;
  napi_is_exception_pending(call->env, &is_pending);
  if (is_pending) napi_get_and_clear_last_exception(call->env, &(napi_value){0});
  napi_value thrown = environment_take_thrown(call->environment);
  if (result) environment_release_results(call->environment, result);
  napi_throw(call->env, thrown);
  return NULL;
}

void *call_allocate(call *call, size_t size) {
  arena_block *block = calloc(1, sizeof(arena_block) + (size ? size : 1));
  if (!block) abort();
  block->next = call->memory;
  call->memory = block;
  return block->data;
}

void call_fail(call *call, const char *message) {
  if (call->has_failed) return;
  call->has_failed = true;
  bool is_pending = false;
  napi_is_exception_pending(call->env, &is_pending);
  if (!is_pending) napi_throw_type_error(call->env, "INVALID_ARGUMENT", message);
}

void call_fail_with(call *call, flx_status_t status, const flx_error_t *error) {
  if (call->has_failed) return;
  call->has_failed = true;
  flx_error_t plain = {.status = status};
  if (!error) snprintf(plain.message, sizeof plain.message, "%s", flx_status_meaning(status));
  napi_throw(call->env, js_error(call->environment, error ? error : &plain));
}

void call_enter(call *call) { call->environment->depth++; }
void call_leave(call *call) { call->environment->depth--; }

// ---- from JavaScript ----

static napi_valuetype type_of(call *call, napi_value value) {
  napi_valuetype type = napi_undefined;
  if (value) napi_typeof(call->env, value, &type);
  return type;
}

bool in_is_missing(call *call, napi_value value) {
  napi_valuetype type = type_of(call, value);
  return type == napi_undefined || type == napi_null;
}

bool in_bool(call *call, napi_value value) {
  bool result = false;
  if (!in_is_missing(call, value) && napi_get_value_bool(call->env, value, &result)) call_fail(call, "a boolean is needed");
  return result;
}

int64_t in_integer(call *call, napi_value value) {
  int64_t result = 0;
  bool is_lossless = true;
  double number;
  switch (type_of(call, value)) {
    case napi_undefined:
    case napi_null: return 0;
    case napi_bigint:
      napi_get_value_bigint_int64(call->env, value, &result, &is_lossless);
      if (!is_lossless) {
        uint64_t bits = 0;
        napi_get_value_bigint_uint64(call->env, value, &bits, &is_lossless);
        result = (int64_t)bits;
      }
      if (!is_lossless) call_fail(call, "the integer does not fit into 64 bits");
      return result;
    case napi_number:
      napi_get_value_double(call->env, value, &number);
      if (number != floor(number) || fabs(number) > 9007199254740992.0) break;
      return (int64_t)number;
    default: break;
  }
  call_fail(call, "an integer is needed");
  return 0;
}

double in_double(call *call, napi_value value) {
  double result = 0;
  if (!in_is_missing(call, value) && napi_get_value_double(call->env, value, &result)) call_fail(call, "a number is needed");
  return result;
}

flx_string_t in_bytes(call *call, napi_value value) {
  void *data = NULL;
  size_t size = 0;
  bool is_one = false;
  if (in_is_missing(call, value)) return (flx_string_t){0};
  if (!napi_is_arraybuffer(call->env, value, &is_one) && is_one) {
    napi_get_arraybuffer_info(call->env, value, &data, &size);
  } else if (!napi_is_dataview(call->env, value, &is_one) && is_one) {
    napi_get_dataview_info(call->env, value, &size, &data, NULL, NULL);
  } else if (!napi_is_buffer(call->env, value, &is_one) && is_one) {
    // Every typed array is one of Node's buffers to this function; its size is in bytes.
    napi_get_buffer_info(call->env, value, &data, &size);
  } else {
    call_fail(call, "an ArrayBuffer or a view of one is needed");
  }
  return (flx_string_t){data, size};
}

flx_string_t in_string(call *call, napi_value value) {
  napi_valuetype type = type_of(call, value);
  if (type == napi_undefined || type == napi_null) return (flx_string_t){0};
  if (type != napi_string) return in_bytes(call, value);
  size_t size = 0;
  napi_get_value_string_utf8(call->env, value, NULL, 0, &size);
  char *data = call_allocate(call, size + 1);
  napi_get_value_string_utf8(call->env, value, data, size + 1, &size);
  return (flx_string_t){data, size};
}

void in_fixed_bytes(call *call, napi_value value, uint8_t *bytes, size_t size) {
  if (in_is_missing(call, value)) return;
  flx_string_t given = in_bytes(call, value);
  if (given.size == size) {
    memcpy(bytes, given.data, size);
  } else {
    call_fail(call, "the number of bytes is not that of an ObjectId or UUID");
  }
}

flx_timestamp_t in_timestamp(call *call, napi_value value) {
  double milliseconds = 0;
  if (in_is_missing(call, value)) return (flx_timestamp_t){0};
  if (napi_get_date_value(call->env, value, &milliseconds) || isnan(milliseconds)) call_fail(call, "a valid Date is needed");
  double seconds = trunc(milliseconds / 1000);
  return (flx_timestamp_t){(int64_t)seconds, (int32_t)lround((milliseconds - seconds * 1000) * 1e6)};
}

napi_value in_property(call *call, napi_value object, const char *name) {
  napi_value result = NULL;
  if (napi_get_named_property(call->env, object, name, &result)) {
    call_fail(call, "an object is needed");
    return NULL;
  }
  return in_is_missing(call, result) ? NULL : result;
}

uint32_t in_length(call *call, napi_value array) {
  uint32_t result = 0;
  if (!in_is_missing(call, array) && napi_get_array_length(call->env, array, &result)) call_fail(call, "an array is needed");
  return result;
}

napi_value in_element(call *call, napi_value array, uint32_t index) {
  napi_value result = NULL;
  napi_get_element(call->env, array, index, &result);
  return result;
}

/** A value with its type, as `js_value` makes it. */
static flx_value_t in_tagged_value(call *call, napi_value object) {
  flx_value_t result = {.type = FLX_TYPE_NULL};
  napi_value type = in_property(call, object, "type");
  if (!type) {
    call_fail(call, "the value has no type that can be stored");
    return result;
  }
  result.type = (flx_type_t)in_integer(call, type);
  napi_value value = in_property(call, object, "value");
  switch (result.type) {
    case FLX_TYPE_INT: result.integer = in_integer(call, value); break;
    case FLX_TYPE_BOOL: result.boolean = in_bool(call, value); break;
    case FLX_TYPE_STRING: result.string = in_string(call, value); break;
    case FLX_TYPE_BINARY: result.binary = in_bytes(call, value); break;
    case FLX_TYPE_TIMESTAMP: result.timestamp = in_timestamp(call, value); break;
    case FLX_TYPE_FLOAT: result.float_value = (float)in_double(call, value); break;
    case FLX_TYPE_DOUBLE: result.double_value = in_double(call, value); break;
    case FLX_TYPE_OBJECT_ID: in_fixed_bytes(call, value, result.object_id.bytes, 12); break;
    case FLX_TYPE_UUID: in_fixed_bytes(call, value, result.uuid.bytes, 16); break;
    case FLX_TYPE_DECIMAL:
      if (!value) break;
      result.decimal.high = (uint64_t)in_integer(call, in_property(call, value, "high"));
      result.decimal.low = (uint64_t)in_integer(call, in_property(call, value, "low"));
      break;
    case FLX_TYPE_LINK:
      if (!value) break;
      result.link.row = in_integer(call, in_property(call, value, "row"));
      result.link.target_class = (flx_class_key_t)in_integer(call, in_property(call, value, "target_class"));
      break;
    default: break;
  }
  return result;
}

flx_value_t in_value(call *call, napi_value value) {
  flx_value_t result = {.type = FLX_TYPE_NULL};
  bool is_date = false;
  switch (type_of(call, value)) {
    case napi_undefined:
    case napi_null: return result;
    case napi_boolean:
      result.boolean = in_bool(call, value);
      result.type = FLX_TYPE_BOOL;
      return result;
    case napi_number:
      result.double_value = in_double(call, value);
      result.type = FLX_TYPE_DOUBLE;
      return result;
    case napi_bigint:
      result.integer = in_integer(call, value);
      result.type = FLX_TYPE_INT;
      return result;
    case napi_string:
      result.string = in_string(call, value);
      result.type = FLX_TYPE_STRING;
      return result;
    case napi_object: break;
    default: call_fail(call, "the value cannot be stored"); return result;
  }
  napi_is_date(call->env, value, &is_date);
  if (!is_date) return in_tagged_value(call, value);
  result.timestamp = in_timestamp(call, value);
  result.type = FLX_TYPE_TIMESTAMP;
  return result;
}

// ---- to JavaScript ----

napi_value js_null(napi_env env) {
  napi_value result;
  napi_get_null(env, &result);
  return result;
}

napi_value js_bool(napi_env env, bool value) {
  napi_value result;
  napi_get_boolean(env, value, &result);
  return result;
}

napi_value js_integer(napi_env env, int64_t value) {
  napi_value result;
  if (value >= -9007199254740991 && value <= 9007199254740991) {
    napi_create_int64(env, value, &result);
  } else {
    napi_create_bigint_int64(env, value, &result);
  }
  return result;
}

napi_value js_unsigned(napi_env env, uint64_t value) {
  if (value <= 9007199254740991) return js_integer(env, (int64_t)value);
  napi_value result;
  napi_create_bigint_uint64(env, value, &result);
  return result;
}

napi_value js_size(napi_env env, size_t value) {
  return value == SIZE_MAX ? js_integer(env, -1) : js_unsigned(env, value);
}

napi_value js_double(napi_env env, double value) {
  napi_value result;
  napi_create_double(env, value, &result);
  return result;
}

napi_value js_string(napi_env env, flx_string_t string) {
  napi_value result;
  napi_create_string_utf8(env, string.size ? string.data : "", string.size, &result);
  return result;
}

napi_value js_text(napi_env env, const char *text) {
  return text ? js_string(env, (flx_string_t){text, strlen(text)}) : js_null(env);
}

napi_value js_freed_text(napi_env env, char *text) {
  napi_value result = js_text(env, text);
  flx_free(text);
  return result;
}

napi_value js_bytes(napi_env env, const void *bytes, size_t size) {
  napi_value buffer, result;
  void *data = NULL;
  napi_create_arraybuffer(env, size, &data, &buffer);
  if (size) memcpy(data, bytes, size);
  napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &result);
  return result;
}

napi_value js_timestamp(napi_env env, flx_timestamp_t timestamp) {
  napi_value result;
  napi_create_date(env, (double)timestamp.seconds * 1000 + timestamp.nanoseconds / 1000000, &result);
  return result;
}

napi_value js_object(napi_env env) {
  napi_value result;
  napi_create_object(env, &result);
  return result;
}

void js_set(napi_env env, napi_value object, const char *name, napi_value value) {
  napi_set_named_property(env, object, name, value);
}

static napi_value js_tagged(napi_env env, flx_type_t type, napi_value value) {
  napi_value result = js_object(env);
  js_set(env, result, "type", js_integer(env, type));
  js_set(env, result, "value", value ? value : js_null(env));
  return result;
}

static napi_value js_decimal(napi_env env, flx_decimal_t decimal) {
  napi_value result = js_object(env);
  js_set(env, result, "high", js_unsigned(env, decimal.high));
  js_set(env, result, "low", js_unsigned(env, decimal.low));
  return result;
}

static napi_value js_link(napi_env env, flx_link_t link) {
  napi_value result = js_object(env);
  js_set(env, result, "row", js_integer(env, link.row));
  js_set(env, result, "target_class", js_unsigned(env, link.target_class));
  return result;
}

napi_value js_value(napi_env env, const flx_value_t *value) {
  switch (value->type) {
    case FLX_TYPE_NULL: return js_null(env);
    case FLX_TYPE_INT: return js_integer(env, value->integer);
    case FLX_TYPE_BOOL: return js_bool(env, value->boolean);
    case FLX_TYPE_STRING: return js_string(env, value->string);
    case FLX_TYPE_TIMESTAMP: return js_timestamp(env, value->timestamp);
    case FLX_TYPE_FLOAT: return js_double(env, value->float_value);
    case FLX_TYPE_DOUBLE: return js_double(env, value->double_value);
    case FLX_TYPE_BINARY: return js_tagged(env, value->type, js_bytes(env, value->binary.data, value->binary.size));
    case FLX_TYPE_DECIMAL: return js_tagged(env, value->type, js_decimal(env, value->decimal));
    case FLX_TYPE_LINK: return js_tagged(env, value->type, js_link(env, value->link));
    case FLX_TYPE_OBJECT_ID: return js_tagged(env, value->type, js_bytes(env, value->object_id.bytes, 12));
    case FLX_TYPE_UUID: return js_tagged(env, value->type, js_bytes(env, value->uuid.bytes, 16));
    default: return js_tagged(env, value->type, NULL);
  }
}
