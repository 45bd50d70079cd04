/* SPDX-License-Identifier: Apache-2.0 */
/** @file The rows that all benchmarks read and write, and the error type of the C benchmarks. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One row of the class Task of Examples/TaskTracker, about 80 bytes of data. */
typedef struct task_row {
  uint8_t id[12];
  char name[40];
  size_t name_size;
  char assignee[16];
  /** 0 for an unassigned task: the assignee is null. */
  size_t assignee_size;
  bool is_completed;
  int64_t progress_minutes;
  int64_t due_seconds;
  int32_t due_nanoseconds;
} task_row_t;

/** The totals of a scan. Equal sums on both sides show that both read every row. */
typedef struct task_sums {
  size_t count;
  uint64_t name_bytes;
  uint64_t completed;
  int64_t progress_minutes;
} task_sums_t;

/** The reason a benchmark could not run. */
typedef struct work_error {
  char message[1200];
} work_error_t;

/**
 * Fills `count` rows that depend only on `first`, the number of the first row. Their ids ascend like those created
 * by a single device.
 */
void workload_make_tasks(task_row_t *rows, size_t count, uint64_t first);

/** Fills `order` with the numbers below `count`, in an order that depends only on `seed`. */
void workload_shuffle(uint32_t *order, size_t count, uint64_t seed);

/** Writes the assignee with the given number (below 100) as null-terminated text. */
void workload_assignee(char out_text[16], unsigned number);

#endif
