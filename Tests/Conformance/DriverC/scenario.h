/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the conformance driver share: devices and how a step reaches them. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <flexsync.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { MAX_DEVICES = 8, WAIT_MS = 20000, MAX_REVERTED = 32 };

/* One device: an app with its own storage folder, and its realm while that is open. */
typedef struct {
  char name[32];
  flx_app_t *app;
  flx_user_t *user;
  flx_realm_t *realm;
  /* After the step `freeze`. */
  flx_realm_t *frozen;
  /* What the step `open` subscribes to while the realm is being opened. */
  const json_t *initial;
  /* Between the steps `begin` and `commit`. */
  bool is_writing;
} device_t;

/* Dies with a message: the scenario itself is wrong, or the driver cannot go on. */
void die(const char *format, ...);
/* Dies if a call that the scenario does not expect to fail failed. */
void check(flx_status_t status, const flx_error_t *error);

flx_string_t text(const char *string);
/* The text of a member of a step, or NULL. */
const char *member(const json_t *step, const char *name);
/* The text of a member that must be there. */
const char *required(const json_t *step, const char *name);
flx_class_info_t class_with_key(device_t *device, flx_class_key_t key);
flx_class_info_t class_named(device_t *device, const char *name);

/* subscriptions.c */
void do_update(device_t *device, const json_t *step);
/* Adds a subscription with the "class", "query" and "name" of a step. */
flx_status_t add_subscription(device_t *device, flx_subscription_update_t *update, const json_t *step,
                              flx_error_t *error);
void do_subscriptions(device_t *device);
void do_subscribe(device_t *device, const json_t *step);
void do_unsubscribe(device_t *device, const json_t *step);

/* objects.c */
void do_begin(device_t *device);
void do_commit(device_t *device);
void do_cancel(device_t *device);
void do_write(device_t *device, const json_t *step);
void do_dump(device_t *device, const json_t *step);
void do_backlinks(device_t *device, const json_t *step);
void do_await(device_t *device, const json_t *step);
/* An object by its id; NULL if there is none. */
flx_object_t *find_object(device_t *device, const char *class_name, const char *id);
void print_value(FILE *out, device_t *device, const flx_value_t *value);

/* users.c */
void do_register(device_t *device, const json_t *step);
void do_login(device_t *device, const json_t *step);
void do_link(device_t *device, const json_t *step);
void do_switch(device_t *device, const json_t *step);
void do_end(device_t *device, const json_t *step);
void do_users(device_t *device, const json_t *step);
void do_key(device_t *device, const json_t *step);
void do_keys(device_t *device, const json_t *step);

/* rejected.c */
void do_rejected(device_t *device);
void do_discard(device_t *device, const json_t *step);
/* Resubmits the rejected write to the object of a change. */
flx_status_t resubmit(device_t *device, const json_t *change, flx_error_t *error);

/* views.c */
void do_complete(device_t *device, const json_t *step);
void do_link_state(device_t *device, const json_t *step);
void do_freeze(device_t *device);
void do_frozen(device_t *device, const json_t *step);

/* queries.c */
/* The results of a step's "class", "query" and "arguments". Returns NULL, with the error filled, for a bad query. */
flx_results_t *results_of(device_t *device, const json_t *step, flx_error_t *error);
void do_match(device_t *device, const json_t *step);

/* observers.c */
void do_observe(device_t *device, const json_t *step);
void do_unobserve(device_t *device, const json_t *step);
void do_changes(device_t *device);
/* Ends the observers of a device. */
void end_observers(device_t *device);

/* json.c */
void do_objects(device_t *device, const json_t *step);

/* mixed.c */
/* Whether the JSON is a scalar; if so it becomes the value. Text is borrowed from the JSON. */
bool scalar_from(device_t *device, const json_t *json, flx_value_t *value);
/* Puts a JSON value, however deeply nested, into a property. */
flx_status_t set_mixed(device_t *device, flx_object_t *object, flx_property_key_t property, json_t *json,
                       flx_error_t *error);
/* Changes a collection of mixed values: that of the property, or the one inside to which the change's "path" leads. */
flx_status_t edit_mixed(device_t *device, flx_object_t *object, const flx_property_info_t *property,
                        const char *operation, const json_t *change, flx_error_t *error);
void print_mixed(FILE *out, device_t *device, flx_object_t *object, const flx_property_info_t *property);

#endif
