/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a device, one a line: first the subscribed group ("*" for all), then kind and fields. */
#include "device.h"

static void report_entries(device_t *device, FILE *out) {
  flx_error_t error;
  flx_results_t *entries;
  size_t count;
  check(flx_results_create(device->realm, device->entry.key, &entries, &error), &error);
  check(flx_results_count(entries, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *entry;
    flx_value_t id, group, payload;
    check(flx_results_get_object(entries, i, &entry, &error), &error);
    check(flx_object_get(entry, device->entry.id, &id, &error), &error);
    fprintf(out, "entry ");
    for (int byte = 0; byte < 12; byte++) fprintf(out, "%02x", id.object_id.bytes[byte]);
    check(flx_object_get(entry, device->entry.group, &group, &error), &error);
    fprintf(out, " %.*s", (int)group.string.size, group.string.data);
    check(flx_object_get(entry, device->entry.payload, &payload, &error), &error);
    fprintf(out, " %zu", payload.string.size);
    fprintf(out, " %" PRId64 " %" PRId64 " %" PRId64 "\n", get_integer(entry, device->entry.writer),
            get_integer(entry, device->entry.number), get_integer(entry, device->entry.touches));
    flx_object_release(entry);
  }
  flx_results_release(entries);
}

static void report_board(device_t *device, FILE *out) {
  flx_error_t error;
  flx_list_t *tokens;
  size_t count;
  flx_object_t *board = find(device, device->board.key, object_id(KIND_BOARD, 0, 0));
  if (!board) die("the board is gone");
  fprintf(out, "total %" PRId64 "\n", get_integer(board, device->board.total));
  check(flx_object_get_list(board, device->board.tokens, &tokens, &error), &error);
  check(flx_list_count(tokens, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_value_t token;
    check(flx_list_get(tokens, i, &token, &error), &error);
    fprintf(out, "token %.*s\n", (int)token.string.size, token.string.data);
  }
  flx_list_release(tokens);
  flx_object_release(board);
}

static void report_writers(device_t *device, FILE *out) {
  for (uint32_t number = 1; number < 10; number++) {
    flx_object_t *writer = find(device, device->writer.key, object_id(KIND_WRITER, 0, number));
    if (!writer) continue;
    fprintf(out, "writer %" PRIu32 " %" PRId64 "\n", number, get_integer(writer, device->writer.last));
    flx_object_release(writer);
  }
}

void report(device_t *device, const char *file) {
  FILE *out = fopen(file, "w");
  if (!out) die("'%s' cannot be written", file);
  int group = subscribed_group(device);
  fprintf(out, "group %c\n", group < 0 ? '*' : 'a' + group);
  report_writers(device, out);
  report_board(device, out);
  report_entries(device, out);
  if (fclose(out)) die("'%s' cannot be written", file);
}
