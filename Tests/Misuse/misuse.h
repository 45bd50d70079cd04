/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share: cases that each run in a process of their own, and small helpers. */
#ifndef MISUSE_H
#define MISUSE_H

#include <flexsync.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One misuse: what it checks, and what it does. A case that is to abort says which words its message has. */
typedef struct misuse_case {
  const char *name;
  void (*run)(void);
  const char *abort_words;
} misuse_case_t;

#define FAIL(...) (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), _exit(1))
#define CHECK(condition) ((condition) ? (void)0 : FAIL("%s does not hold", #condition))

/* The error of the last EXPECT. */
static flx_error_t error;

/* Makes sure that a call, which fills `error`, ends in a status. */
#define EXPECT(wanted, call)                                                                               \
  do {                                                                                                     \
    memset(&error, 0, sizeof error);                                                                       \
    flx_status_t got = (call);                                                                             \
    if (got != (wanted))                                                                                   \
      FAIL("%s gave %s, not %s: %s", #call, flx_status_name(got), flx_status_name(wanted), error.message); \
  } while (0)
#define OK(call) EXPECT(FLX_STATUS_OK, call)
/* The words of the last error. */
#define SAYS(words) (strstr(error.message, words) ? (void)0 : FAIL("'%s' is not in: %s", words, error.message))

static inline flx_string_t text(const char *words) { return (flx_string_t){words, strlen(words)}; }

/* A path in the folder that the runner gives to this case. */
static inline char *scratch(const char *name) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", getenv("MISUSE_FOLDER"), name) < 0) abort();
  return path;
}

/* A local realm with `Task { _id: int, name: string, done: int, next: Task, tags: [string] }`. */
static inline flx_realm_t *open_realm_with(flx_realm_config_t config, const char *name) {
  flx_property_info_t properties[] = {
      {.name = FLX_STRING("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
      {.name = FLX_STRING("name"), .type = FLX_TYPE_STRING},
      {.name = FLX_STRING("done"), .type = FLX_TYPE_INT},
      {.name = FLX_STRING("at"), .type = FLX_TYPE_TIMESTAMP},
      {.name = FLX_STRING("next"), .type = FLX_TYPE_LINK, .link_target = FLX_STRING("Task")},
      {.name = FLX_STRING("tags"), .type = FLX_TYPE_STRING, .collection = FLX_COLLECTION_LIST},
  };
  flx_class_info_t classes[] = {{.name = FLX_STRING("Task"), .properties = properties, .property_count = 6}};
  config.struct_size = sizeof config;
  config.path = text(scratch(name));
  config.classes = classes;
  config.class_count = 1;
  flx_realm_t *realm = NULL;
  OK(flx_realm_open(&config, &realm, &error));
  return realm;
}

static inline flx_realm_t *open_realm(const char *name) { return open_realm_with((flx_realm_config_t){0}, name); }

static inline flx_class_key_t class_key(flx_realm_t *realm) {
  flx_class_info_t info;
  OK(flx_realm_find_class(realm, FLX_STRING("Task"), &info, &error));
  return info.key;
}

static inline flx_property_key_t property_key(flx_realm_t *realm, const char *name) {
  flx_property_info_t info;
  OK(flx_realm_find_property(realm, class_key(realm), text(name), &info, &error));
  return info.key;
}

static inline flx_value_t integer(int64_t number) { return (flx_value_t){.type = FLX_TYPE_INT, .integer = number}; }

/* A new object, in a write transaction that stays open. */
static inline flx_object_t *create_object(flx_realm_t *realm, int64_t id) {
  flx_value_t key = integer(id);
  flx_object_t *object = NULL;
  if (!flx_realm_is_in_write(realm)) OK(flx_realm_begin_write(realm, &error));
  OK(flx_object_create(realm, class_key(realm), &key, &object, &error));
  return object;
}

static inline flx_results_t *all_objects(flx_realm_t *realm) {
  flx_results_t *results = NULL;
  OK(flx_results_create(realm, class_key(realm), &results, &error));
  return results;
}

/* The configuration of an app whose server does not exist. */
static inline flx_app_config_t app_config(void) {
  return (flx_app_config_t){.struct_size = sizeof(flx_app_config_t), .app_id = FLX_STRING("misuse"),
                            .base_url = FLX_STRING("http://127.0.0.1:1"), .storage_directory = text(scratch("app"))};
}

/* Counts in `userdata`, an int: what a `free_userdata` function is for. */
static inline void count_free(void *userdata) { __atomic_add_fetch((int *)userdata, 1, __ATOMIC_SEQ_CST); }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MISUSE_UNDER_THREAD_SANITIZER 1
#endif
#endif

/* How long a case may take, in seconds; then it hangs. */
#ifndef MISUSE_PATIENCE
#define MISUSE_PATIENCE 20
#endif

static inline int misuse_run_case(const char *program, const char *folder, const misuse_case_t *test) {
  char errors[4096];
  snprintf(errors, sizeof errors, "%s/errors", folder);
  pid_t child = fork();
  if (child == 0) {
    setenv("MISUSE_FOLDER", folder, 1);
    setpgid(0, 0);
    int file = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    alarm(MISUSE_PATIENCE);
    execl(program, program, test->name, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  // Children that hang would not end with it.
  kill(-child, SIGKILL);
  char words[8192] = "";
  FILE *file = fopen(errors, "r");
  if (file) {
    words[fread(words, 1, sizeof words - 1, file)] = 0;
    fclose(file);
  }
  int is_right = test->abort_words
                     ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(words, test->abort_words)
                     : WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (strstr(words, "Sanitizer: ")) is_right = 0;
  printf("%s %s\n", is_right ? "ok  " : "FAIL", test->name);
  if (is_right) return 0;
  if (WIFSIGNALED(status)) printf("     ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WIFEXITED(status)) printf("     ended with %d\n", WEXITSTATUS(status));
  if (test->abort_words) printf("     expected an abort with: %s\n", test->abort_words);
  printf("     %s\n", words);
  return 1;
}

/* `PROGRAM FOLDER` runs all cases; it calls itself as `PROGRAM NAME` for each. */
static inline int misuse_main(int argc, char **argv, const misuse_case_t *cases, size_t count) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc != 2) return 2;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    return 0;
  }
  int failures = 0;
  for (size_t i = 0; i < count; i++) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/case.XXXXXX", argv[1]);
    if (!mkdtemp(folder)) return 2;
    failures += misuse_run_case("/proc/self/exe", folder, &cases[i]);
  }
  return failures ? 1 : 0;
}

#define MISUSE_MAIN(cases) \
  int main(int argc, char **argv) { return misuse_main(argc, argv, cases, sizeof cases / sizeof *cases); }

#endif
