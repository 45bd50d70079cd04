/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can tell about objects that it does not have, and versions of the data that stay. */
#include <string.h>

#include "scenario.h"

void do_complete(device_t *device, const json_t *step) {
  flx_error_t error;
  bool is_complete;
  uint64_t version;
  const char *query = member(step, "query");
  flx_results_t *results = results_of(device, step, &error);
  if (!results) die("%s", error.message);
  check(flx_results_get_completeness(results, &is_complete, &version, &error), &error);
  if (is_complete != (version > 0)) die("complete as of version %llu", (unsigned long long)version);
  printf("%s: %s %s where %s\n", device->name, is_complete ? "has every" : "may lack some", required(step, "class"),
         query ? query : "TRUEPREDICATE");
  flx_results_release(results);
}

void do_link_state(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_property_info_t property;
  flx_link_state_t state;
  flx_value_t key;
  const char *class_name = required(step, "class"), *id = required(step, "id"), *name = required(step, "property");
  flx_object_t *object = find_object(device, class_name, id);
  if (!object) die("there is no %s %s", class_name, id);
  check(flx_realm_find_property(device->realm, class_named(device, class_name).key, text(name), &property, &error), &error);
  check(flx_object_get_link_state(object, property.key, &state, &key, &error), &error);
  printf("%s: %s of %s ", device->name, name, id);
  if (state == FLX_LINK_NULL) {
    printf("is null\n");
  } else {
    printf("%s ", state == FLX_LINK_RESOLVED ? "leads to" : "leads out of view to");
    print_value(stdout, device, &key);
    printf("\n");
  }
  flx_object_release(object);
}

void do_freeze(device_t *device) {
  flx_error_t error;
  flx_realm_release(device->frozen);
  check(flx_realm_freeze(device->realm, &device->frozen, &error), &error);
  printf("%s: froze\n", device->name);
}

void do_frozen(device_t *device, const json_t *step) {
  if (!device->frozen) die("%s has frozen nothing", device->name);
  flx_realm_t *live = device->realm;
  device->realm = device->frozen;
  do_dump(device, step);
  device->realm = live;
}
