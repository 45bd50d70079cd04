/* SPDX-License-Identifier: Apache-2.0 */
/** @file What belongs to one environment of Node: the main thread, or a worker. */
#ifndef FLEXSYNC_NODE_ENVIRONMENT_H
#define FLEXSYNC_NODE_ENVIRONMENT_H

#include "support.h"

#include <pthread.h>

/** What threads of the library reach of an environment. It is never freed, since they may do so at any time. */
typedef struct gate {
  pthread_mutex_t lock;
  pthread_t thread;
  bool is_open;
  napi_threadsafe_function wake;
} gate;

struct environment {
  napi_env env;
  gate *gate;
  /** How many calls of the library are on the stack. */
  int depth;
  /** What a callback has thrown while the library was being called. */
  napi_ref thrown;
  /** Makes the error objects. */
  napi_ref error_factory;
  napi_async_context context;
};

napi_value environment_take_thrown(environment *environment);
void environment_keep_thrown(environment *environment, napi_value thrown);
/** Releases the handles in a result that nobody will get. */
void environment_release_results(environment *environment, napi_value result);

#endif
