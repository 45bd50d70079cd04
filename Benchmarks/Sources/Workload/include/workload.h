/* SPDX-License-Identifier: Apache-2.0 */
/** @file The rows that all benchmarks read and write, and how benchmarks in C report errors. */
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
  /** 0 for a task that nobody has taken: the assignee is null. */
  size_t assignee_size;
  bool is_completed;
  int64_t progress_minutes;
  int64_t due_seconds;
  int32_t due_nanoseconds;
} task_row_t;

/** What a scan read: equal sums on both sides show that both read every row. */
typedef struct task_sums {
  size_t count;
  uint64_t name_bytes;
  uint64_t completed;
  int64_t progress_minutes;
} task_sums_t;

/** Why a benchmark could not be run. */
typedef struct work_error {
  char message[1200];
} work_error_t;

/**
 * Fills `count` rows that depend on nothing but `first`, the number of the first one. Their ids ascend like those that
 * one device makes.
 */
void workload_make_tasks(task_row_t *rows, size_t count, uint64_t first);

/** Fills `order` with the numbers below `count` in an order that depends on nothing but `seed`. */
void workload_shuffle(uint32_t *order, size_t count, uint64_t seed);

/** The assignee with a number (below 100), as text with a terminating zero. */
void workload_assignee(char out_text[16], unsigned number);

#endif
