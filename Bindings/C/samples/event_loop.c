/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's own event loop: one thread, which polls the app next to its other descriptors and never blocks.
 * Everything that takes a while has a completion, which the library calls within flx_app_pump.
 *
 *   cc event_loop.c $(pkg-config --cflags --libs flexsync) -o event_loop && ./event_loop http://localhost:9090
 *
 * with a server of Examples/TaskTracker, which README.md says how to start. It prints:
 *
 *   logged in
 *   subscribed: the device has 0 tasks
 *   the loop has refreshed the realm: 1 task
 *   uploaded
 */
#define _POSIX_C_SOURCE 200809L
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { TIMEOUT_MS = 30000 };

static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = FLX_STRING_INIT("assignee"), .type = FLX_TYPE_STRING, .is_nullable = true},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = PROPERTIES, .property_count = 2},
};

typedef struct {
  flx_app_t *app;
  flx_user_t *user;
  flx_realm_t *realm;
  flx_results_t *mine;
  flx_session_t *session;
  int pipe[2]; /* becomes readable when the realm has something to refresh; neither end blocks */
  bool has_written, is_done;
} program_t;

static size_t count_tasks(program_t *program) {
  flx_error_t error;
  size_t count;
  check(flx_results_count(program->mine, &count, &error), &error);
  return count;
}

static void finish(void *userdata, const flx_error_t *error) {
  program_t *program = userdata;
  if (error) check(error->status, error);
  printf("uploaded\n");
  program->is_done = true;
}

/* Called by any thread, so it does no more than wake the loop. */
static void wake(void *userdata) {
  program_t *program = userdata;
  if (write(program->pipe[1], "", 1) < 0) return; /* the pipe is full: the loop will wake up anyway */
}

/* Reads all that `wake` has written, so that many changes cost one refresh. */
static void drain(int descriptor) {
  char bytes[64];
  while (read(descriptor, bytes, sizeof bytes) > 0) continue;
}

static bool does_not_block(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

static void write_task(void *userdata, const flx_error_t *failure) {
  program_t *program = userdata;
  if (failure) check(failure->status, failure);
  flx_error_t error;
  flx_object_t *task;
  flx_class_key_t tasks = class_key(program->realm, FLX_STRING("Task"));
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = flx_object_id_generate()};
  flx_value_t me = {.type = FLX_TYPE_STRING, .string = flx_user_id(program->user)};
  printf("subscribed: the device has %zu tasks\n", count_tasks(program));
  check(flx_realm_begin_write(program->realm, &error), &error);
  check(flx_object_create(program->realm, tasks, &key, &task, &error), &error);
  check(flx_object_set(task, property_key(program->realm, tasks, FLX_STRING("assignee")), &me, &error), &error);
  check(flx_realm_commit_write(program->realm, &error), &error);
  flx_object_release(task);
  program->has_written = true;
  wake(program); /* as the commit of another thread or process would */
  flx_session_wait(program->session, FLX_DIRECTION_UPLOAD, TIMEOUT_MS, finish, program, NULL);
}

static void open_realm(void *userdata, flx_user_t *user, const flx_error_t *failure) {
  program_t *program = userdata;
  if (failure) check(failure->status, failure);
  printf("logged in\n");
  program->user = user; /* ours to release */
  flx_realm_config_t config = {.struct_size = sizeof config, .user = user, .classes = CLASSES, .class_count = 1,
                               .client_reset_mode = FLX_CLIENT_RESET_RECOVER_UNSYNCED};
  flx_value_t me = {.type = FLX_TYPE_STRING, .string = flx_user_id(user)};
  flx_query_argument_t argument = {.values = &me, .count = 1};
  flx_error_t error;
  flx_results_t *all;
  check(flx_realm_open(&config, &program->realm, &error), &error);
  flx_realm_set_changed_callback(program->realm, wake, program, NULL);
  program->session = flx_realm_get_session(program->realm);
  check(flx_results_create(program->realm, class_key(program->realm, FLX_STRING("Task")), &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("assignee == $0"), &argument, 1, &program->mine, &error), &error);
  flx_results_release(all);
  check(flx_results_subscribe(program->mine, NULL, FLX_WAIT_ALWAYS, TIMEOUT_MS, write_task, program, NULL, &error),
        &error);
}

int main(int argc, char **argv) {
  const char *url = argc > 1 ? argv[1] : "http://localhost:9090";
  flx_app_config_t config = {.struct_size = sizeof config, .app_id = FLX_STRING("tasktracker-abcde"),
                             .base_url = {url, strlen(url)}, .storage_directory = FLX_STRING("event-loop-data"),
                             .loop_mode = FLX_LOOP_POLL};
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_NEW_ANONYMOUS};
  flx_error_t error;
  program_t program = {0};
  if (pipe(program.pipe) != 0 || !does_not_block(program.pipe[0]) || !does_not_block(program.pipe[1])) return 1;
  check(flx_app_create(&config, &program.app, &error), &error);
  flx_app_log_in(program.app, &credentials, open_realm, &program, NULL);

  for (;;) {
    int64_t next_ms;
    check(flx_app_pump(program.app, &next_ms, &error), &error); /* calls what is due */
    if (program.is_done) break;
    struct pollfd descriptors[] = {{.fd = flx_app_poll_descriptor(program.app), .events = POLLIN},
                                   {.fd = program.pipe[0], .events = POLLIN}};
    if (poll(descriptors, 2, (int)next_ms) < 0 && errno != EINTR) return 1; /* a signal is no failure */
    if (!descriptors[1].revents) continue;
    drain(program.pipe[0]);
    check(flx_realm_refresh(program.realm, NULL, &error), &error); /* calls observers */
    if (!program.has_written) continue;
    printf("the loop has refreshed the realm: %zu task\n", count_tasks(&program));
    program.has_written = false;
  }
  flx_results_release(program.mine);
  flx_session_release(program.session);
  flx_realm_release(program.realm);
  int64_t next_ms;
  check(flx_app_pump(program.app, &next_ms, &error), &error); /* ends the session of the realm */
  flx_user_release(program.user);
  flx_app_release(program.app);
  close(program.pipe[0]);
  close(program.pipe[1]);
  return 0;
}
