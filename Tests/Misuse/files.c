/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no realms, and schemas that do not fit into one. */
#include "misuse.h"

#include <sys/resource.h>
#include <sys/stat.h>

static void write_file(const char *path, const char *content, size_t size) {
  FILE *file = fopen(path, "w");
  fwrite(content, 1, size, file);
  fclose(file);
}

static flx_status_t delete_files(const char *path) {
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(path)};
  bool was_deleted = false;
  memset(&error, 0, sizeof error);
  flx_status_t status = flx_realm_delete_files(&config, &was_deleted, &error);
  CHECK(was_deleted == (status == FLX_STATUS_OK));
  return status;
}

static void other_files_are_not_deleted(void) {
  char *path = scratch("letter.txt");
  write_file(path, "Dear reader", 11);
  EXPECT(FLX_STATUS_NOT_A_DATABASE, delete_files(path));
  char page[4096] = "SQLite format 3";
  page[68] = 'O';
  write_file(path, page, sizeof page);
  EXPECT(FLX_STATUS_NOT_A_DATABASE, delete_files(path));
  CHECK(access(path, F_OK) == 0);
  write_file(path, "", 0);
  OK(delete_files(path));
  CHECK(access(path, F_OK) != 0);
}

static void damaged_realms_are_deleted(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_release(create_object(realm, 1));
  OK(flx_realm_commit_write(realm, &error));
  EXPECT(FLX_STATUS_ALREADY_OPEN, delete_files(scratch("a.realm")));
  flx_realm_release(realm);
  FILE *file = fopen(scratch("a.realm"), "r+");
  fseek(file, 4096, SEEK_SET);
  for (int i = 0; i < 4096; i++) fputc(0xee, file);
  fclose(file);
  OK(delete_files(scratch("a.realm")));
  CHECK(access(scratch("a.realm"), F_OK) != 0);
}

static flx_status_t open_path(const char *path) {
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(path)};
  flx_realm_t *realm = NULL;
  memset(&error, 0, sizeof error);
  flx_status_t status = flx_realm_open(&config, &realm, &error);
  flx_realm_release(realm);
  return status;
}

static void places_that_hold_no_realm(void) {
  flx_status_t status = open_path("/proc/version");
  CHECK(status != FLX_STATUS_OK && status != FLX_STATUS_DISK_FULL && status != FLX_STATUS_INTERNAL);
  SAYS("/proc/version");
  EXPECT(FLX_STATUS_IO, open_path(getenv("MISUSE_FOLDER")));
  EXPECT(FLX_STATUS_IO, open_path("/nowhere/at/all.realm"));
}

/* No descriptor is left: neither the network nor the disk is to blame. */
static void no_descriptors(void) {
  struct rlimit limit = {3, 3};
  setrlimit(RLIMIT_NOFILE, &limit);
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  EXPECT(FLX_STATUS_IO, flx_app_create(&config, &app, &error));
  SAYS("descriptors");
  EXPECT(FLX_STATUS_IO, open_path(scratch("a.realm")));
  SAYS("descriptors");
}

static void names_that_differ_in_case(void) {
  flx_property_info_t properties[] = {
      {.name = FLX_STRING("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
      {.name = FLX_STRING("_ID"), .type = FLX_TYPE_INT},
      {.name = FLX_STRING("_Id"), .type = FLX_TYPE_TIMESTAMP},
  };
  flx_class_info_t classes[] = {{.name = FLX_STRING("Task"), .properties = properties, .property_count = 3},
                                {.name = FLX_STRING("TASK"), .properties = properties, .property_count = 3}};
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")), .classes = classes,
                               .class_count = 2};
  flx_realm_t *realm = NULL;
  OK(flx_realm_open(&config, &realm, &error));
  flx_object_t *object = create_object(realm, 1);
  flx_value_t value = integer(2);
  OK(flx_object_set(object, property_key(realm, "_ID"), &value, &error));
  OK(flx_object_get(object, property_key(realm, "_id"), &value, &error));
  CHECK(value.integer == 1);
  OK(flx_realm_commit_write(realm, &error));
}

static void too_many_properties(void) {
  enum { COUNT = 3000 };
  static flx_property_info_t properties[COUNT];
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    properties[i] = (flx_property_info_t){.name = text(strdup(name)), .type = FLX_TYPE_INT};
  }
  properties[0].is_primary_key = true;
  flx_class_info_t info = {.name = FLX_STRING("Wide"), .properties = properties, .property_count = COUNT};
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")), .classes = &info,
                               .class_count = 1};
  flx_realm_t *realm = NULL;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_open(&config, &realm, &error));
  SAYS("Wide");
  SAYS("999");
  info.property_count = 999;
  OK(flx_realm_open(&config, &realm, &error));
}

static const misuse_case_t CASES[] = {
    {"files that are no realms are not deleted", other_files_are_not_deleted, NULL},
    {"a damaged realm can be deleted, an open one not", damaged_realms_are_deleted, NULL},
    {"places that hold no realm are told for what they are", places_that_hold_no_realm, NULL},
    {"running out of descriptors is told so", no_descriptors, NULL},
    {"names may differ in case only", names_that_differ_in_case, NULL},
    {"a class with too many properties is refused", too_many_properties, NULL},
};

MISUSE_MAIN(CASES)
