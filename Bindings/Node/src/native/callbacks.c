/* SPDX-License-Identifier: Apache-2.0 */
/** @file Callbacks: on the thread of the environment at once, from other threads through its loop. */
#include "environment.h"

#include <stdio.h>

struct callback {
  environment *environment;
  gate *gate;
  napi_ref target;
  /** One for the library, and one for each call that is running. */
  int uses;
};

/** What another thread wants to be done. */
typedef struct message {
  callback *callback;
  void (*deliver)(void *userdata, const posted_arguments *arguments);
  posted_arguments arguments;
  flx_error_t error;
  char text[];
} message;

// ---- userdata ----

callback *in_callback(call *call, napi_value value) {
  if (in_is_missing(call, value)) return NULL;
  callback *one = calloc(1, sizeof *one);
  if (!one) abort();
  *one = (callback){.environment = call->environment, .gate = call->environment->gate, .uses = 1};
  napi_create_reference(call->env, value, 1, &one->target);
  return one;
}

static void drop(callback *one) {
  if (--one->uses > 0) return;
  napi_delete_reference(one->environment->env, one->target);
  free(one);
}

static void deliver_free(void *userdata, const posted_arguments *arguments) {
  (void)arguments;
  drop(userdata);
}

bool callback_is_on_thread(void *userdata) {
  callback *one = userdata;
  return pthread_equal(one->gate->thread, pthread_self());
}

static bool is_open(gate *gate) {
  pthread_mutex_lock(&gate->lock);
  bool result = gate->is_open;
  pthread_mutex_unlock(&gate->lock);
  return result;
}

void callback_free(void *userdata) {
  callback *one = userdata;
  if (!callback_is_on_thread(one)) {
    callback_post(one, deliver_free, (posted_arguments){0});
  } else if (is_open(one->gate)) {
    drop(one);
  }
}

// ---- from other threads ----

static void post(gate *gate, message *message) {
  pthread_mutex_lock(&gate->lock);
  if (!gate->is_open || napi_call_threadsafe_function(gate->wake, message, napi_tsfn_nonblocking)) free(message);
  pthread_mutex_unlock(&gate->lock);
}

void callback_post(void *userdata, void (*deliver)(void *, const posted_arguments *), posted_arguments arguments) {
  callback *one = userdata;
  message *message = malloc(sizeof *message + arguments.text.size);
  if (!message) abort();
  message->callback = one;
  message->deliver = deliver;
  message->arguments = arguments;
  if (arguments.error) {
    message->error = *arguments.error;
    message->arguments.error = &message->error;
  }
  if (arguments.text.size) memcpy(message->text, arguments.text.data, arguments.text.size);
  message->arguments.text.data = message->text;
  post(one->gate, message);
}

/** Runs on the thread of the environment for each message; without an environment when that ends. */
static void receive(napi_env env, napi_value function, void *context, void *data) {
  (void)function, (void)context;
  message *message = data;
  if (env) message->deliver(message->callback, &message->arguments);
  free(message);
}

// ---- calls of JavaScript ----

bool callback_begin(callback_scope *scope, void *userdata) {
  callback *one = userdata;
  if (!callback_is_on_thread(one) || !is_open(one->gate)) return false;
  *scope = (callback_scope){.callback = one, .environment = one->environment, .env = one->environment->env};
  one->uses++;
  napi_open_handle_scope(scope->env, &scope->handles);
  return true;
}

/** The function for a kind of callback. */
static napi_value function_of(callback_scope *scope, const char *kind) {
  napi_value target, result;
  napi_get_reference_value(scope->env, scope->callback->target, &target);
  napi_valuetype type;
  napi_typeof(scope->env, target, &type);
  if (type == napi_function) return target;
  return napi_get_named_property(scope->env, target, kind, &result) ? NULL : result;
}

napi_value callback_call(callback_scope *scope, const char *kind, size_t count, const napi_value *arguments) {
  napi_env env = scope->env;
  environment *environment = scope->environment;
  napi_value function = function_of(scope, kind), receiver, result = NULL;
  napi_get_global(env, &receiver);
  // Called by the loop, JavaScript also runs what it has put off with promises; called within a call, that waits for its end.
  napi_status status = environment->depth
                           ? napi_call_function(env, receiver, function, count, arguments, &result)
                           : napi_make_callback(env, environment->context, receiver, function, count, arguments, &result);
  if (!status) return result;
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (!is_pending) return NULL;
  napi_get_and_clear_last_exception(env, &scope->thrown);
  if (environment->depth) environment_keep_thrown(environment, scope->thrown);
  return NULL;
}

void callback_end(callback_scope *scope) {
  if (scope->thrown && !scope->environment->depth && !scope->is_told) napi_fatal_exception(scope->env, scope->thrown);
  for (size_t index = 0; index < scope->borrowed_count; index++) handle_release(scope->borrowed[index]);
  napi_close_handle_scope(scope->env, scope->handles);
  drop(scope->callback);
}

flx_status_t callback_error(callback_scope *scope, flx_error_t *error) {
  scope->is_told = true;
  error->status = FLX_STATUS_CANCELED;
  snprintf(error->message, sizeof error->message, "The callback has thrown an error.");
  napi_value text;
  if (!scope->thrown) return error->status;
  if (!napi_coerce_to_string(scope->env, scope->thrown, &text)) {
    napi_get_value_string_utf8(scope->env, text, error->message, sizeof error->message, NULL);
  } else {
    // A symbol has no text, and the method of an object may throw, too.
    napi_get_and_clear_last_exception(scope->env, &text);
  }
  return error->status;
}

// ---- the environment ----

napi_value environment_take_thrown(environment *environment) {
  if (!environment->thrown) return NULL;
  napi_value result;
  napi_get_reference_value(environment->env, environment->thrown, &result);
  napi_delete_reference(environment->env, environment->thrown);
  environment->thrown = NULL;
  napi_get_element(environment->env, result, 0, &result);
  return result;
}

void environment_keep_thrown(environment *environment, napi_value thrown) {
  if (environment->thrown) return;
  napi_value holder;
  napi_create_array_with_length(environment->env, 1, &holder);
  napi_set_element(environment->env, holder, 0, thrown);
  napi_create_reference(environment->env, holder, 1, &environment->thrown);
}

napi_value js_error(environment *environment, const flx_error_t *error) {
  napi_env env = environment->env;
  if (!error) return js_null(env);
  napi_value factory, receiver, result;
  napi_value arguments[] = {
    js_integer(env, error->status), js_text(env, flx_status_name(error->status)), js_text(env, error->message),
    js_integer(env, error->code), js_text(env, error->server_code), js_text(env, error->server_log_url),
  };
  napi_get_global(env, &receiver);
  if (environment->error_factory && !napi_get_reference_value(env, environment->error_factory, &factory) &&
      !napi_call_function(env, receiver, factory, 6, arguments, &result)) {
    return result;
  }
  napi_create_error(env, arguments[1], arguments[2], &result);
  return result;
}

void *environment_loop(call *call) {
  struct uv_loop_s *loop = NULL;
  napi_get_uv_event_loop(call->env, &loop);
  return loop;
}

static napi_value set_error_factory(napi_env env, napi_callback_info info) {
  call call;
  if (!call_begin(&call, env, info)) return NULL;
  napi_create_reference(env, call.arguments[0], 1, &call.environment->error_factory);
  return call_end(&call, NULL);
}

/** From now on no thread of the library gets through. */
static void close_gate(void *data) {
  gate *gate = data;
  pthread_mutex_lock(&gate->lock);
  gate->is_open = false;
  pthread_mutex_unlock(&gate->lock);
}

static gate *new_gate(napi_env env) {
  gate *one = calloc(1, sizeof *one);
  if (!one) abort();
  pthread_mutex_init(&one->lock, NULL);
  one->thread = pthread_self();
  one->is_open = true;
  napi_value name;
  napi_create_string_utf8(env, "flexsync", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, NULL, receive, &one->wake);
  // What keeps the process alive is the loop of an app, not this.
  napi_unref_threadsafe_function(env, one->wake);
  napi_add_env_cleanup_hook(env, close_gate, one);
  return one;
}

static void define(napi_env env, napi_value exports, const napi_property_descriptor *functions, size_t count, void *data) {
  for (size_t index = 0; index < count; index++) {
    napi_property_descriptor one = functions[index];
    one.data = data;
    one.attributes = napi_enumerable;
    napi_define_properties(env, exports, 1, &one);
  }
}

NAPI_MODULE_INIT() {
  environment *environment = calloc(1, sizeof *environment);
  if (!environment) abort();
  environment->env = env;
  environment->gate = new_gate(env);
  napi_value name;
  napi_create_string_utf8(env, "flexsync", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &environment->context);
  const napi_property_descriptor own[] = {{"setErrorFactory", NULL, set_error_factory, NULL, NULL, NULL, napi_enumerable, NULL}};
  define(env, exports, own, 1, environment);
  define(env, exports, raw_functions, raw_function_count, environment);
  return exports;
}
