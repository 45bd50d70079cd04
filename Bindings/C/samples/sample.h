/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples of this folder share: a failed call ends the program, and names become keys. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <flexsync.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of printf for `%.*s`. */
#define TEXT(string) (int)(string).size, (string).data

static inline void check(flx_status_t status, const flx_error_t *error) {
  if (status == FLX_STATUS_OK) return;
  fprintf(stderr, "%s: %s\n", flx_status_name(status), error->message);
  exit(1);
}

static inline flx_class_key_t class_key(flx_realm_t *realm, flx_string_t name) {
  flx_class_info_t info;
  flx_error_t error;
  check(flx_realm_find_class(realm, name, &info, &error), &error);
  return info.key;
}

static inline flx_property_key_t property_key(flx_realm_t *realm, flx_class_key_t of, flx_string_t name) {
  flx_property_info_t info;
  flx_error_t error;
  check(flx_realm_find_property(realm, of, name, &info, &error), &error);
  return info.key;
}

#endif
