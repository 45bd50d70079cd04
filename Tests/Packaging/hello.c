/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program that opens a realm, writes and reads; it is compiled as C and as C++. */
#include <flexsync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(flx_status_t status, const flx_error_t *error) {
  if (status == FLX_STATUS_OK) return;
  fprintf(stderr, "hello: %s\n", error->message);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  flx_property_info_t properties[2];
  memset(properties, 0, sizeof properties);
  properties[0].name = FLX_STRING("_id");
  properties[0].type = FLX_TYPE_INT;
  properties[0].is_primary_key = true;
  properties[1].name = FLX_STRING("greeting");
  properties[1].type = FLX_TYPE_STRING;
  flx_class_info_t classes[1];
  memset(classes, 0, sizeof classes);
  classes[0].name = FLX_STRING("Hello");
  classes[0].properties = properties;
  classes[0].property_count = 2;

  flx_realm_config_t config;
  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config;
  config.path.data = argv[1];
  config.path.size = strlen(argv[1]);
  config.classes = classes;
  config.class_count = 1;

  flx_error_t error;
  flx_realm_t *realm;
  flx_class_info_t hello;
  flx_property_info_t greeting;
  check(flx_realm_open(&config, &realm, &error), &error);
  check(flx_realm_find_class(realm, FLX_STRING("Hello"), &hello, &error), &error);
  check(flx_realm_find_property(realm, hello.key, FLX_STRING("greeting"), &greeting, &error), &error);

  flx_value_t key, value;
  memset(&key, 0, sizeof key);
  key.type = FLX_TYPE_INT;
  key.integer = 1;
  memset(&value, 0, sizeof value);
  value.type = FLX_TYPE_STRING;
  value.string = FLX_STRING("hello, world");
  flx_object_t *object;
  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_object_create(realm, hello.key, &key, &object, &error), &error);
  check(flx_object_set(object, greeting.key, &value, &error), &error);
  check(flx_realm_commit_write(realm, &error), &error);

  flx_value_t read;
  check(flx_object_get(object, greeting.key, &read, &error), &error);
  int is_right = read.type == FLX_TYPE_STRING && read.string.size == 12 && !memcmp(read.string.data, "hello, world", 12);
  if (is_right && flx_version_number() != FLX_VERSION_NUMBER) is_right = 0;
  flx_object_release(object);
  flx_realm_release(realm);
  return is_right ? 0 : 1;
}
