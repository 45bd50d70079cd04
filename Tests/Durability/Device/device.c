/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdarg.h>
#include <unistd.h>

static const flx_property_info_t ENTRY_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"group", 5}, .type = FLX_TYPE_STRING},
    {.name = {"writer", 6}, .type = FLX_TYPE_INT},
    {.name = {"number", 6}, .type = FLX_TYPE_INT},
    {.name = {"touches", 7}, .type = FLX_TYPE_INT},
    {.name = {"payload", 7}, .type = FLX_TYPE_STRING},
};
static const flx_property_info_t BOARD_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"total", 5}, .type = FLX_TYPE_INT},
    {.name = {"tokens", 6}, .type = FLX_TYPE_STRING, .collection = FLX_COLLECTION_LIST},
};
static const flx_property_info_t WRITER_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"last", 4}, .type = FLX_TYPE_INT},
};
static const flx_class_info_t CLASSES[] = {
    {.name = {"Entry", 5}, .properties = ENTRY_PROPERTIES, .property_count = 6},
    {.name = {"Board", 5}, .properties = BOARD_PROPERTIES, .property_count = 3},
    {.name = {"Writer", 6}, .properties = WRITER_PROPERTIES, .property_count = 2},
};

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "device: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("%s: %s", flx_status_name(status), error->message);
}

flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

static flx_class_key_t class_key(device_t *device, const char *name) {
  flx_error_t error;
  flx_class_info_t found;
  check(flx_realm_find_class(device->realm, text(name), &found, &error), &error);
  return found.key;
}

static flx_property_key_t property(device_t *device, flx_class_key_t class_key, const char *name) {
  flx_error_t error;
  flx_property_info_t found;
  check(flx_realm_find_property(device->realm, class_key, text(name), &found, &error), &error);
  return found.key;
}

static void find_keys(device_t *device) {
  flx_class_key_t entry = class_key(device, "Entry"), board = class_key(device, "Board"),
                  writer = class_key(device, "Writer");
  device->entry.key = entry;
  device->entry.id = property(device, entry, "_id");
  device->entry.group = property(device, entry, "group");
  device->entry.writer = property(device, entry, "writer");
  device->entry.number = property(device, entry, "number");
  device->entry.touches = property(device, entry, "touches");
  device->entry.payload = property(device, entry, "payload");
  device->board.key = board;
  device->board.total = property(device, board, "total");
  device->board.tokens = property(device, board, "tokens");
  device->writer.key = writer;
  device->writer.last = property(device, writer, "last");
}

/*
 * That an entry leaves the view with a change that the server did not have yet, or has left it, or has left it and come
 * back, when the change arrives, happens to who writes while others, or one's own subscriptions, move entries. What the
 * device has written to such an entry since is rejected too. Nothing that is checked in the end depends on it, and an
 * entry whose creation was rejected is missing then.
 */
static bool is_expected(const flx_compensating_write_t *write) {
  static const char *const REASONS[] = {"object is outside of the current query view", "and has come back since",
                                        "an earlier write to the object was refused, and the object reverted"};
  if (write->class_name.size != 5 || memcmp(write->class_name.data, "Entry", 5)) return false;
  for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++) {
    const size_t size = strlen(REASONS[i]);
    if (write->reason.size >= size && !memcmp(write->reason.data + write->reason.size - size, REASONS[i], size)) return true;
  }
  return false;
}

/* A server that is killed is no error; other rejected writes and a client reset are. */
static void failed(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata;
  (void)session;
  fprintf(stderr, "device: sync: %s: %.*s\n", flx_status_name(error->status), (int)error->message.size,
          error->message.data);
  bool is_wrong = error->is_fatal;
  for (size_t i = 0; i < error->compensating_write_count; i++) {
    flx_string_t reason = error->compensating_writes[i].reason;
    fprintf(stderr, "device: rejected: %.*s\n", (int)reason.size, reason.data);
    if (error->protocol_code && !is_expected(&error->compensating_writes[i])) is_wrong = true;
  }
  if (is_wrong) _Exit(1);
}

/* The server may be away just now. */
static void log_in(device_t *device) {
  flx_error_t error;
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_ANONYMOUS};
  flx_status_t status = FLX_STATUS_CONNECTION_FAILED;
  for (int i = 0; i < WAIT_MS / 50 && status == FLX_STATUS_CONNECTION_FAILED; i++) {
    if (i) usleep(50000);
    status = flx_app_log_in_blocking(device->app, &credentials, &device->user, &error);
  }
  check(status, &error);
}

void device_open(device_t *device, const char *server) {
  flx_error_t error;
  flx_app_config_t app_config = {.struct_size = sizeof app_config, .app_id = text("durability"),
                                 .base_url = text(server), .storage_directory = text(device->folder)};
  flx_set_logger(FLX_LOG_ERROR, NULL, NULL, NULL);
  check(flx_app_create(&app_config, &device->app, &error), &error);
  flx_app_set_error_handler(device->app, failed, NULL, NULL);
  if (!(device->user = flx_app_get_current_user(device->app))) log_in(device);
  flx_realm_config_t config = {.struct_size = sizeof config, .user = device->user, .classes = CLASSES,
                               .class_count = sizeof CLASSES / sizeof *CLASSES};
  check(flx_realm_open(&config, &device->realm, &error), &error);
  device->session = flx_realm_get_session(device->realm);
  find_keys(device);
}

void device_close(device_t *device) {
  flx_session_release(device->session);
  flx_realm_release(device->realm);
  flx_user_release(device->user);
  flx_app_release(device->app);
}

void device_wait(device_t *device, flx_direction_t direction) {
  flx_error_t error;
  flx_status_t status = flx_session_wait_blocking(device->session, direction, WAIT_MS, &error);
  if (status != FLX_STATUS_OK)
    die("stuck: %s does not end: %s", direction == FLX_DIRECTION_UPLOAD ? "upload" : "download", error.message);
  check(flx_realm_refresh(device->realm, NULL, &error), &error);
}
