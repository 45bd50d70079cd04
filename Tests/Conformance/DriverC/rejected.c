/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

static flx_rejected_writes_t *rejected_writes(device_t *device) {
  flx_error_t error;
  flx_rejected_writes_t *writes;
  check(flx_rejected_writes_get(device->realm, &writes, &error), &error);
  return writes;
}

static void format_key(const flx_rejected_write_t *write, char hex[25]) {
  strcpy(hex, "?");
  if (write->primary_key.type == FLX_TYPE_OBJECT_ID) flx_object_id_format(&write->primary_key.object_id, hex);
}

void do_rejected(device_t *device) {
  flx_error_t error;
  flx_rejected_writes_t *writes = rejected_writes(device);
  printf("%s: %zu rejected\n", device->name, flx_rejected_writes_count(writes));
  for (size_t i = 0; i < flx_rejected_writes_count(writes); i++) {
    flx_rejected_write_t write;
    char hex[25];
    check(flx_rejected_writes_at(writes, i, &write, &error), &error);
    format_key(&write, hex);
    printf("%s:   %.*s %s %s: %.*s\n", device->name, (int)write.class_name.size, write.class_name.data, hex,
           write.state == FLX_REJECTED_WRITE_RESUBMITTED ? "resubmitted" : "kept", (int)write.reason.size,
           write.reason.data);
  }
  flx_rejected_writes_release(writes);
}

/* The number of the rejected write to an object, which must be there. */
static int64_t rejected_write_id(device_t *device, const char *class_name, const char *id) {
  flx_error_t error;
  flx_rejected_writes_t *writes = rejected_writes(device);
  int64_t found = 0;
  for (size_t i = 0; i < flx_rejected_writes_count(writes); i++) {
    flx_rejected_write_t write;
    char hex[25];
    check(flx_rejected_writes_at(writes, i, &write, &error), &error);
    format_key(&write, hex);
    if (!strcmp(hex, id) && write.class_name.size == strlen(class_name) &&
        !memcmp(write.class_name.data, class_name, write.class_name.size))
      found = write.id;
  }
  flx_rejected_writes_release(writes);
  if (!found) die("there is no rejected write to %s %s", class_name, id);
  return found;
}

flx_status_t resubmit(device_t *device, const json_t *change, flx_error_t *error) {
  int64_t id = rejected_write_id(device, required(change, "resubmit"), required(change, "id"));
  return flx_rejected_write_resubmit(device->realm, id, error);
}

void do_discard(device_t *device, const json_t *step) {
  flx_error_t error;
  bool discarded;
  int64_t id = rejected_write_id(device, required(step, "class"), required(step, "id"));
  check(flx_rejected_write_discard(device->realm, id, &discarded, &error), &error);
  printf("%s: discarded\n", device->name);
}
