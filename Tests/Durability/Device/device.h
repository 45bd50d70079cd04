/* SPDX-License-Identifier: Apache-2.0 */
/* One device of the durability test. */
#ifndef DURABILITY_DEVICE_H
#define DURABILITY_DEVICE_H

#include <flexsync.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WAIT_MS = 30000,
  GROUP_COUNT = 3,
  /* What each group has at least. A bootstrap with it does not fit into one message. */
  BALLAST_COUNT = 34,
  BALLAST_BYTES = 16 * 1024,
  /* How many transactions a device writes before it waits until they are uploaded. */
  BACKLOG = 40,
};

typedef enum { KIND_BALLAST = 1, KIND_BOARD = 2, KIND_WRITER = 3, KIND_ENTRY = 4 } object_kind_t;

typedef struct {
  flx_app_t *app;
  flx_user_t *user;
  flx_realm_t *realm;
  flx_session_t *session;
  uint32_t number;
  /* Whether other processes write and subscribe in the same realm. */
  bool shares;
  const char *folder;
  struct {
    flx_class_key_t key;
    flx_property_key_t id, group, writer, number, touches, payload;
  } entry;
  struct {
    flx_class_key_t key;
    flx_property_key_t total, tokens;
  } board;
  struct {
    flx_class_key_t key;
    flx_property_key_t last;
  } writer;
} device_t;

/* device.c */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void check(flx_status_t status, const flx_error_t *error);
flx_string_t text(const char *string);
void device_open(device_t *device, const char *server);
void device_close(device_t *device);
void device_wait(device_t *device, flx_direction_t direction);

/* objects.c */
flx_value_t object_id(object_kind_t kind, uint32_t owner, uint32_t number);
flx_object_t *find(device_t *device, flx_class_key_t class_key, flx_value_t id);
flx_object_t *create(device_t *device, flx_class_key_t class_key, flx_value_t id);
int64_t get_integer(flx_object_t *object, flx_property_key_t property);
void set_integer(flx_object_t *object, flx_property_key_t property, int64_t value);
void set_text(flx_object_t *object, flx_property_key_t property, const char *value);

/* subscriptions.c */
/* The group of the newest subscription set; -1 if there is none. */
int subscribed_group(device_t *device);
/* Subscribes to a group of entries, or to all with -1, and to everything else. */
void subscribe(device_t *device, int group);
void wait_for_subscriptions(device_t *device);

/* workload.c */
void prepare(device_t *device);
void work(device_t *device, unsigned seed) __attribute__((noreturn));
/* The last number that the device has committed; checks that it has forgotten none that it had noted. */
uint32_t last_committed(device_t *device);

/* report.c */
void report(device_t *device, const char *file);

#endif
