/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

flx_value_t object_id(object_kind_t kind, uint32_t owner, uint32_t number) {
  flx_value_t value = {.type = FLX_TYPE_OBJECT_ID};
  uint32_t parts[] = {(uint32_t)kind, owner, number};
  for (int part = 0; part < 3; part++)
    for (int i = 0; i < 4; i++) value.object_id.bytes[4 * part + i] = (uint8_t)(parts[part] >> (24 - 8 * i));
  return value;
}

flx_object_t *find(device_t *device, flx_class_key_t class_key, flx_value_t id) {
  flx_error_t error;
  flx_object_t *object;
  check(flx_object_find(device->realm, class_key, &id, &object, &error), &error);
  return object;
}

flx_object_t *create(device_t *device, flx_class_key_t class_key, flx_value_t id) {
  flx_error_t error;
  flx_object_t *object;
  check(flx_object_create(device->realm, class_key, &id, &object, &error), &error);
  return object;
}

int64_t get_integer(flx_object_t *object, flx_property_key_t property) {
  flx_error_t error;
  flx_value_t value;
  check(flx_object_get(object, property, &value, &error), &error);
  return value.integer;
}

void set_integer(flx_object_t *object, flx_property_key_t property, int64_t integer) {
  flx_error_t error;
  flx_value_t value = {.type = FLX_TYPE_INT, .integer = integer};
  check(flx_object_set(object, property, &value, &error), &error);
}

void set_text(flx_object_t *object, flx_property_key_t property, const char *string) {
  flx_error_t error;
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = text(string)};
  check(flx_object_set(object, property, &value, &error), &error);
}
