/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transaction n of a device makes an entry, appends a token to a list that all share, adds n to a counter that all
 * share, and notes n. So its last number tells everything that must be on the server.
 */
#include "device.h"

#include <fcntl.h>
#include <unistd.h>

static void begin(device_t *device) {
  flx_error_t error;
  check(flx_realm_begin_write(device->realm, &error), &error);
}

static void commit(device_t *device) {
  flx_error_t error;
  check(flx_realm_commit_write(device->realm, &error), &error);
}

static void set_group(device_t *device, flx_object_t *entry, int group) {
  char name[] = {(char)('a' + group), 0};
  set_text(entry, device->entry.group, name);
}

static void add_entry(device_t *device, flx_value_t id, int group, uint32_t number, size_t payload_size) {
  flx_object_t *entry = create(device, device->entry.key, id);
  char *payload = malloc(payload_size + 1);
  memset(payload, 'x', payload_size);
  payload[payload_size] = 0;
  set_group(device, entry, group);
  set_integer(entry, device->entry.writer, device->number);
  set_integer(entry, device->entry.number, number);
  set_text(entry, device->entry.payload, payload);
  free(payload);
  flx_object_release(entry);
}

void prepare(device_t *device) {
  subscribe(device, -1);
  begin(device);
  flx_object_release(create(device, device->board.key, object_id(KIND_BOARD, 0, 0)));
  for (int group = 0; group < GROUP_COUNT; group++)
    for (uint32_t i = 0; i < BALLAST_COUNT; i++)
      add_entry(device, object_id(KIND_BALLAST, (uint32_t)group, i), group, i, BALLAST_BYTES);
  commit(device);
  wait_for_subscriptions(device);
  device_wait(device, FLX_DIRECTION_UPLOAD);
}

/* What the device has written down of its commits, behind them. */

static int open_journal(device_t *device) {
  char path[4096];
  snprintf(path, sizeof path, "%s/journal-%" PRIu32, device->folder, device->number);
  int journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (journal < 0) die("'%s' cannot be opened", path);
  return journal;
}

static void note(int journal, uint32_t number) {
  if (pwrite(journal, &number, sizeof number, 0) != sizeof number || fdatasync(journal)) die("the journal fails");
}

uint32_t last_committed(device_t *device) {
  uint32_t noted = 0, last = 0;
  int journal = open_journal(device);
  if (pread(journal, &noted, sizeof noted, 0) != sizeof noted) noted = 0;
  flx_object_t *writer = find(device, device->writer.key, object_id(KIND_WRITER, 0, device->number));
  if (writer) last = (uint32_t)get_integer(writer, device->writer.last);
  flx_object_release(writer);
  if (last < noted) die("a commit is lost: %" PRIu32 " instead of %" PRIu32, last, noted);
  if (last > noted + 1) die("a commit is too much: %" PRIu32 " instead of %" PRIu32, last, noted);
  note(journal, last);
  close(journal);
  return last;
}

/* One transaction. */

static void append_token(device_t *device, uint32_t number) {
  flx_error_t error;
  flx_list_t *tokens;
  size_t count;
  char token[32];
  snprintf(token, sizeof token, "%" PRIu32 ":%" PRIu32, device->number, number);
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = text(token)};
  flx_object_t *board = find(device, device->board.key, object_id(KIND_BOARD, 0, 0));
  if (!board) die("the board is gone");
  check(flx_object_get_list(board, device->board.tokens, &tokens, &error), &error);
  check(flx_list_count(tokens, &count, &error), &error);
  check(flx_list_insert(tokens, count, &value, &error), &error);
  check(flx_object_add_integer(board, device->board.total, number, &error), &error);
  flx_list_release(tokens);
  flx_object_release(board);
}

static void note_in_realm(device_t *device, uint32_t number) {
  flx_value_t id = object_id(KIND_WRITER, 0, device->number);
  flx_object_t *writer = find(device, device->writer.key, id);
  if (!writer) writer = create(device, device->writer.key, id);
  set_integer(writer, device->writer.last, number);
  flx_object_release(writer);
}

/* Moves an entry of one's own to another group, and touches one of anybody. */
static void change_entries(device_t *device, uint32_t last) {
  flx_error_t error;
  if (last == 0) return;
  flx_object_t *own = find(device, device->entry.key, object_id(KIND_ENTRY, device->number, 1 + (uint32_t)rand() % last));
  if (own && rand() % 2) set_group(device, own, rand() % GROUP_COUNT);
  flx_object_release(own);
  uint32_t writer = 1 + (uint32_t)rand() % 3;
  flx_object_t *other = find(device, device->entry.key, object_id(KIND_ENTRY, writer, 1 + (uint32_t)rand() % last));
  if (other) check(flx_object_add_integer(other, device->entry.touches, 1, &error), &error);
  flx_object_release(other);
}

static void write_transaction(device_t *device, uint32_t number, int group) {
  begin(device);
  /* Nobody else subscribes during the transaction. */
  if (device->shares) group = subscribed_group(device);
  change_entries(device, number - 1);
  add_entry(device, object_id(KIND_ENTRY, device->number, number), group, number, rand() % 50 ? 20 : BALLAST_BYTES);
  append_token(device, number);
  note_in_realm(device, number);
  commit(device);
}

/* Waits for a while until everything is uploaded. Returns whether it is. */
static bool rest(device_t *device) {
  flx_error_t error;
  if (flx_session_get_connection_state(device->session) == FLX_CONNECTION_DISCONNECTED)
    flx_session_reconnect(device->session);
  return flx_session_wait_blocking(device->session, FLX_DIRECTION_UPLOAD, 300, &error) == FLX_STATUS_OK;
}

void work(device_t *device, unsigned seed) {
  srand(seed);
  uint32_t last = last_committed(device);
  if (subscribed_group(device) < 0) subscribe(device, (int)device->number % GROUP_COUNT);
  if (last == 0) wait_for_subscriptions(device);
  int journal = open_journal(device), group = subscribed_group(device);
  /* What is written while the server is away has to be merged, each with each: let it not be too much for a test. */
  uint32_t waiting = BACKLOG / 2;
  printf("working\n");
  fflush(stdout);
  for (;;) {
    write_transaction(device, ++last, group);
    note(journal, last);
    if (rand() % 20 == 0) subscribe(device, group = (group + 1) % GROUP_COUNT);
    if (++waiting % 10 == 0 && rest(device)) waiting = 0;
    while (waiting >= BACKLOG && !rest(device)) continue;
    if (waiting >= BACKLOG) waiting = 0;
    usleep((useconds_t)(rand() % 50000));
  }
}
