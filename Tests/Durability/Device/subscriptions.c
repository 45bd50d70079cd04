/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

static const char *const NAME = "entries";

int subscribed_group(device_t *device) {
  flx_error_t error;
  flx_subscription_set_t *set;
  flx_subscription_t subscription;
  check(flx_subscription_set_get_latest(device->realm, &set, &error), &error);
  int group = -1;
  char letter;
  if (flx_subscription_set_find_named(set, text(NAME), &subscription)) {
    char query[128];
    snprintf(query, sizeof query, "%.*s", (int)subscription.query.size, subscription.query.data);
    if (sscanf(query, "group == \"%c\"", &letter) == 1) group = letter - 'a';
  }
  flx_subscription_set_release(set);
  return group;
}

static void add(device_t *device, flx_subscription_update_t *update, flx_class_key_t class_key, const char *query,
                const char *name) {
  flx_error_t error;
  flx_results_t *results;
  flx_string_t name_text = text(name);
  check(flx_results_create(device->realm, class_key, &results, &error), &error);
  if (query) {
    flx_results_t *filtered;
    check(flx_results_filter(results, text(query), NULL, 0, &filtered, &error), &error);
    flx_results_release(results);
    results = filtered;
  }
  check(flx_subscription_update_add(update, results, &name_text, FLX_NAME_CONFLICT_REPLACE, &error), &error);
  flx_results_release(results);
}

void subscribe(device_t *device, int group) {
  flx_error_t error;
  flx_subscription_update_t *update;
  char query[32];
  snprintf(query, sizeof query, "group == \"%c\"", 'a' + group);
  check(flx_subscription_update_begin(device->realm, &update, &error), &error);
  add(device, update, device->board.key, NULL, "boards");
  add(device, update, device->writer.key, NULL, "writers");
  add(device, update, device->entry.key, group < 0 ? NULL : query, NAME);
  check(flx_subscription_update_commit(update, NULL, &error), &error);
}

void wait_for_subscriptions(device_t *device) {
  flx_error_t error;
  flx_subscription_set_t *set;
  flx_status_t status;
  do {
    check(flx_subscription_set_get_latest(device->realm, &set, &error), &error);
    status = flx_subscription_set_wait_blocking(set, WAIT_MS, &error);
    if (status != FLX_STATUS_OK && !(device->shares && status == FLX_STATUS_SUBSCRIPTION_SUPERSEDED))
      die("stuck: subscription set %" PRId64 " does not become complete: %s", flx_subscription_set_version(set),
          error.message);
    flx_subscription_set_release(set);
  } while (status != FLX_STATUS_OK);
  check(flx_realm_refresh(device->realm, NULL, &error), &error);
}
