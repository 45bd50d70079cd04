/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <stdio.h>
#include <string.h>

enum { ASSIGNEES = 100, OBJECTS_PER_SECOND = 100 };

/* An object id: four bytes of seconds, five bytes for the device, three bytes of counter. */
static void make_id(uint8_t id[12], uint64_t number) {
  static const uint8_t device[5] = {0x5f, 0x1e, 0xc5, 0x79, 0xac};
  uint32_t seconds = 1700000000u + (uint32_t)(number / OBJECTS_PER_SECOND);
  for (int i = 0; i < 4; i++) id[i] = (uint8_t)(seconds >> (24 - 8 * i));
  memcpy(id + 4, device, sizeof device);
  for (int i = 0; i < 3; i++) id[9 + i] = (uint8_t)(number >> (16 - 8 * i));
}

/* SplitMix64: a bijection of 64-bit numbers that looks random. */
static uint64_t scramble(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

void workload_assignee(char out_text[16], unsigned number) { snprintf(out_text, 16, "person%02u", number % ASSIGNEES); }

void workload_make_tasks(task_row_t *rows, size_t count, uint64_t first) {
  for (size_t i = 0; i < count; i++) {
    uint64_t number = first + i, random = scramble(number);
    task_row_t *row = &rows[i];
    make_id(row->id, number);
    row->name_size = (size_t)snprintf(row->name, sizeof row->name, "Write the report number %llu", (unsigned long long)number);
    row->assignee_size = 0;
    if (random % 10 != 0) {
      workload_assignee(row->assignee, (unsigned)(random >> 8) % ASSIGNEES);
      row->assignee_size = strlen(row->assignee);
    }
    row->is_completed = (random >> 16) % 3 == 0;
    row->progress_minutes = (int64_t)((random >> 24) % 480);
    row->due_seconds = 1750000000 + (int64_t)((random >> 40) % 10000000);
    /* Whole milliseconds: the server's data type "date" has no finer resolution. */
    row->due_nanoseconds = (int32_t)(number % 1000) * 1000000;
  }
}

void workload_shuffle(uint32_t *order, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
  for (size_t i = count; i > 1; i--) {
    size_t other = (size_t)(scramble(seed + i) % i);
    uint32_t swapped = order[i - 1];
    order[i - 1] = order[other];
    order[other] = swapped;
  }
}
