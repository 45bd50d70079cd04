/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *state_name(flx_subscription_state_t state) {
  switch (state) {
    case FLX_SUBSCRIPTION_COMPLETE: return "complete";
    case FLX_SUBSCRIPTION_ERROR: return "error";
    case FLX_SUBSCRIPTION_SUPERSEDED: return "superseded";
    default: return "pending";
  }
}

static flx_status_t change_query(device_t *device, flx_subscription_update_t *update, const json_t *change,
                                 flx_error_t *error) {
  flx_results_t *results = results_of(device, change, error);
  if (!results) return error->status;
  flx_status_t status = FLX_STATUS_OK;
  for (size_t i = 0; i < flx_subscription_update_count(update); i++) {
    flx_subscription_t one;
    check(flx_subscription_update_at(update, i, &one, error), error);
    const char *name = required(change, "name");
    if (!one.has_name || one.name.size != strlen(name) || memcmp(one.name.data, name, one.name.size)) continue;
    status = flx_subscription_update_set_query(update, &one.id, results, error);
    break;
  }
  flx_results_release(results);
  return status;
}

flx_status_t add_subscription(device_t *device, flx_subscription_update_t *update, const json_t *change,
                              flx_error_t *error) {
  flx_results_t *results = results_of(device, change, error);
  if (!results) return error->status;
  const char *name = member(change, "name");
  flx_string_t name_text = text(name ? name : "");
  flx_name_conflict_t conflict =
      json_is_true(json_object_get(change, "replace")) ? FLX_NAME_CONFLICT_REPLACE : FLX_NAME_CONFLICT_FAIL;
  flx_status_t status = flx_subscription_update_add(update, results, name ? &name_text : NULL, conflict, error);
  flx_results_release(results);
  return status;
}

static flx_status_t remove_query(device_t *device, flx_subscription_update_t *update, const json_t *change,
                                 flx_error_t *error) {
  flx_results_t *results = results_of(device, change, error);
  if (!results) return error->status;
  bool removed;
  flx_status_t status = flx_subscription_update_remove_results(update, results, &removed, error);
  flx_results_release(results);
  return status;
}

static flx_status_t apply(device_t *device, flx_subscription_update_t *update, const json_t *change, flx_error_t *error) {
  json_t *value;
  if ((value = json_object_get(change, "add"))) return add_subscription(device, update, value, error);
  if ((value = json_object_get(change, "query"))) return change_query(device, update, value, error);
  if ((value = json_object_get(change, "removeQuery"))) return remove_query(device, update, value, error);
  if ((value = json_object_get(change, "remove"))) {
    flx_subscription_update_remove_named(update, text(json_string_value(value)));
  } else if ((value = json_object_get(change, "removeClass"))) {
    flx_subscription_update_remove_class(update, text(json_string_value(value)));
  } else if ((value = json_object_get(change, "removeAll"))) {
    flx_subscription_update_remove_all(update, json_is_true(value));
  } else {
    die("unknown change of an update");
  }
  return FLX_STATUS_OK;
}

static void wait_and_report(device_t *device, flx_subscription_set_t *set) {
  flx_error_t error;
  if (flx_subscription_set_wait_blocking(set, WAIT_MS, &error) != FLX_STATUS_OK) {
    printf("%s: failed: %s\n", device->name, error.message);
  } else {
    check(flx_realm_refresh(device->realm, NULL, &error), &error);
    printf("%s: version %" PRId64 " %s\n", device->name, flx_subscription_set_version(set),
           state_name(flx_subscription_set_state(set)));
  }
}

void do_update(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_subscription_update_t *update;
  flx_subscription_set_t *set;
  check(flx_subscription_update_begin(device->realm, &update, &error), &error);
  json_t *changes = json_object_get(step, "changes"), *change;
  size_t index;
  json_array_foreach(changes, index, change) {
    if (apply(device, update, change, &error) == FLX_STATUS_OK) continue;
    printf("%s: failed: %s\n", device->name, error.message);
    flx_subscription_update_cancel(update);
    return;
  }
  check(flx_subscription_update_commit(update, &set, &error), &error);
  if (json_is_false(json_object_get(step, "wait")))
    printf("%s: committed version %" PRId64 "\n", device->name, flx_subscription_set_version(set));
  else
    wait_and_report(device, set);
  flx_subscription_set_release(set);
}

void do_subscriptions(device_t *device) {
  flx_error_t error;
  flx_subscription_set_t *set;
  check(flx_subscription_set_get_latest(device->realm, &set, &error), &error);
  printf("%s: version %" PRId64 " %s:", device->name, flx_subscription_set_version(set),
         state_name(flx_subscription_set_state(set)));
  for (size_t i = 0; i < flx_subscription_set_count(set); i++) {
    flx_subscription_t one;
    check(flx_subscription_set_at(set, i, &one, &error), &error);
    printf("%s %.*s=%.*s(%.*s)", i ? "," : "", one.has_name ? (int)one.name.size : 1, one.has_name ? one.name.data : "-",
           (int)one.class_name.size, one.class_name.data, (int)one.query.size, one.query.data);
  }
  printf("\n");
  flx_subscription_set_release(set);
}

/* ---- results.subscribe ---- */

/* A wait of the library for which the device waits in turn. */
typedef struct {
  bool is_done;
  flx_error_t error;
} wait_t;

static void finished(void *userdata, const flx_error_t *error) {
  wait_t *wait = userdata;
  if (error) wait->error = *error;
  else wait->error.status = FLX_STATUS_OK;
  __atomic_store_n(&wait->is_done, true, __ATOMIC_RELEASE);
}

static flx_wait_for_sync_t wait_mode(const char *name) {
  if (!name || !strcmp(name, "onCreation")) return FLX_WAIT_ON_CREATION;
  if (!strcmp(name, "always")) return FLX_WAIT_ALWAYS;
  if (!strcmp(name, "never")) return FLX_WAIT_NEVER;
  die("unknown wait mode '%s'", name);
  return FLX_WAIT_NEVER;
}

/* Waits for the end of what was started with `status`, and prints how it ended. */
static void report_end(device_t *device, flx_status_t status, wait_t *wait, const char *done) {
  if (status == FLX_STATUS_OK) {
    while (!__atomic_load_n(&wait->is_done, __ATOMIC_ACQUIRE)) {
      bool changed;
      flx_error_t error;
      check(flx_realm_wait_for_change(device->realm, 20, &changed, &error), &error);
      check(flx_realm_refresh(device->realm, NULL, &error), &error);
    }
    status = wait->error.status;
  }
  if (status == FLX_STATUS_OK) printf("%s: %s\n", device->name, done);
  else printf("%s: failed: %s\n", device->name, wait->error.message);
}

void do_subscribe(device_t *device, const json_t *step) {
  wait_t wait = {0};
  flx_results_t *results = results_of(device, step, &wait.error);
  const char *name = member(step, "name");
  flx_string_t name_text = text(name ? name : "");
  uint64_t timeout = (uint64_t)json_integer_value(json_object_get(step, "timeout"));
  flx_status_t status =
      !results ? wait.error.status
               : flx_results_subscribe(results, name ? &name_text : NULL, wait_mode(member(step, "wait")),
                                       timeout ? timeout : WAIT_MS, finished, &wait, NULL, &wait.error);
  report_end(device, status, &wait, "subscribed");
  flx_results_release(results);
}

void do_unsubscribe(device_t *device, const json_t *step) {
  wait_t wait = {0};
  flx_results_t *results = results_of(device, step, &wait.error);
  if (!results) die("%s", wait.error.message);
  if (json_is_true(json_object_get(step, "wait"))) {
    flx_status_t status =
        flx_results_unsubscribe_and_wait(results, WAIT_MS, finished, &wait, NULL, &wait.error);
    report_end(device, status, &wait, "unsubscribed, and the objects are gone");
  } else {
    check(flx_results_unsubscribe(results, &wait.error), &wait.error);
    printf("%s: unsubscribed\n", device->name);
  }
  flx_results_release(results);
}
