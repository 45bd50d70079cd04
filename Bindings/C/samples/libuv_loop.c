/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library on the program's own libuv loop, next to the program's timers and sockets: no other thread, and every
 * completion runs in uv_run.
 *
 *   cc libuv_loop.c $(pkg-config --cflags --libs flexsync libuv) -o libuv_loop && ./libuv_loop http://localhost:9090
 *
 * with a server of Examples/TaskTracker, which README.md says how to start. It prints:
 *
 *   a timer of the program
 *   logged in on the thread of the loop
 *   a blocking call there: INVALID_ARGUMENT
 *   the loop has ended
 */
#define _POSIX_C_SOURCE 200809L
#include "sample.h"

#include <signal.h>
#include <uv.h>

typedef struct {
  uv_loop_t loop;
  uv_timer_t timer;
  uv_thread_t thread;
  flx_app_t *app;
  flx_user_t *user;
} program_t;

/* Removes the user from the device, and lets go of everything, so that the loop ends. */
static void leave(void *userdata, const flx_error_t *error) {
  program_t *program = userdata;
  if (error) check(error->status, error);
  flx_user_release(program->user);
  flx_app_release(program->app); /* its handles on the loop close */
}

static void logged_in(void *userdata, flx_user_t *user, const flx_error_t *failure) {
  program_t *program = userdata;
  if (failure) check(failure->status, failure);
  uv_thread_t here = uv_thread_self();
  printf("logged in on %s\n", uv_thread_equal(&here, &program->thread) ? "the thread of the loop" : "another thread");
  flx_error_t error;
  printf("a blocking call there: %s\n", flx_status_name(flx_user_log_out_blocking(user, &error)));
  program->user = user; /* ours to release */
  flx_user_remove(user, leave, program, NULL);
}

static void log_in(uv_timer_t *timer) {
  program_t *program = timer->data;
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_NEW_ANONYMOUS};
  printf("a timer of the program\n");
  flx_app_log_in(program->app, &credentials, logged_in, program, NULL);
  uv_close((uv_handle_t *)timer, NULL);
}

int main(int argc, char **argv) {
  const char *url = argc > 1 ? argv[1] : "http://localhost:9090";
  signal(SIGPIPE, SIG_IGN); /* a server that closes its connection would end the program */
  program_t program = {.thread = uv_thread_self()};
  if (uv_loop_init(&program.loop) != 0) return 1;

  flx_app_config_t config = {.struct_size = sizeof config, .app_id = FLX_STRING("tasktracker-abcde"),
                             .base_url = {url, strlen(url)}, .storage_directory = FLX_STRING("libuv-loop-data"),
                             .loop_mode = FLX_LOOP_HOST_UV, .uv_loop = &program.loop};
  flx_error_t error;
  check(flx_app_create(&config, &program.app, &error), &error); /* on the thread of the loop */
  uv_timer_init(&program.loop, &program.timer);
  program.timer.data = &program;
  uv_timer_start(&program.timer, log_in, 10, 0);

  uv_run(&program.loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&program.loop) == 0) printf("the loop has ended\n");
  return 0;
}
