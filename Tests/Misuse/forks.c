/* SPDX-License-Identifier: Apache-2.0 */
/* A process that forks while it uses the library. */
#include "misuse.h"

/* Runs `body` in a forked child, which has to end well and soon. */
static void in_child(void (*body)(void *), void *argument) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    body(argument);
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) FAIL("the child ended with %d", status);
}

static void refused(void *userdata, const flx_error_t *failure) {
  CHECK(failure && failure->status == FLX_STATUS_UNSUPPORTED);
  ++*(int *)userdata;
}

static void refused_user(void *userdata, flx_user_t *user, const flx_error_t *failure) {
  CHECK(!user);
  refused(userdata, failure);
}

static void complete_everything(void *app) {
  int calls = 0, freed = 0;
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_ANONYMOUS};
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("b.realm"))};
  flx_app_log_in(app, &credentials, refused_user, &calls, NULL);
  flx_app_register_email(app, FLX_STRING("a"), FLX_STRING("b"), refused, &calls, NULL);
  flx_realm_open_async(&config, FLX_OPEN_LOCAL, 0, refused, &calls, NULL);
  flx_app_send_password_reset(app, FLX_STRING("a"), refused, &calls, NULL);
  CHECK(calls == 4);
  flx_app_send_password_reset(app, FLX_STRING("a"), refused, &freed, count_free);
  CHECK(freed == 2);
}

static void call_everything(void *app) {
  flx_realm_t *realm = NULL;
  flx_app_t *other = NULL;
  flx_app_config_t apps = app_config();
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("b.realm"))};
  bool is_true = false;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_app_create(&apps, &other, &error));
  SAYS("forked");
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_app_register_email_blocking(app, FLX_STRING("a"), FLX_STRING("b"), &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_open(&config, &realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_delete_files(&config, &is_true, &error));
  flx_app_release(app);
}

static void an_app(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  in_child(call_everything, app);
  in_child(complete_everything, app);
  EXPECT(FLX_STATUS_CONNECTION_FAILED,
         flx_app_register_email_blocking(app, FLX_STRING("a"), FLX_STRING("b"), &error));
}

static void use_the_realm(void *realm) {
  bool is_true = false;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_begin_write(realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_commit_write(realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_refresh(realm, &is_true, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_wait_for_change(realm, 0, &is_true, &error));
  flx_realm_release(realm);
}

static void a_realm(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  in_child(use_the_realm, realm);
  OK(flx_realm_commit_write(realm, &error));
  CHECK(flx_object_is_valid(object));
}

static void open_a_realm(void *unused) {
  (void)unused;
  create_object(open_realm("a.realm"), 1);
}

static void nothing_in_use(void) {
  CHECK(flx_version_number() > 0);
  in_child(open_a_realm, NULL);
}

static const misuse_case_t CASES[] = {
    {"in the child of a fork an app is refused", an_app, NULL},
    {"in the child of a fork a realm is refused, and the parent's is sound", a_realm, NULL},
    {"the child of a fork may use what its parent does not", nothing_in_use, NULL},
};

MISUSE_MAIN(CASES)
