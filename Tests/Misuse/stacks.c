/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with very little stack. */
#include "misuse.h"

static const char *OPENINGS[] = {"NOT (", "(done == 1 OR (", "((", "(done == 1 AND NOT ("};
static const char *CLOSINGS[] = {")", "))", "))", "))"};

/* Queries from shallow to far too deep: each is found out to be right, or is refused. */
static void *query_deeply(void *realm) {
  for (int form = 0; form < 4; form++) {
    int accepted = 0, refused = 0;
    for (int depth = 1; depth < 400; depth += depth < 50 ? 3 : 70) {
      static char query[65536];
      query[0] = 0;
      char *end = query;
      for (int i = 0; i < depth; i++) end = stpcpy(end, OPENINGS[form]);
      end = stpcpy(end, "done == 1");
      for (int i = 0; i < depth; i++) end = stpcpy(end, CLOSINGS[form]);
      flx_results_t *all = all_objects(realm), *found = NULL;
      flx_error_t *failure = &error;
      flx_status_t status = flx_results_filter(all, text(query), NULL, 0, &found, failure);
      size_t count = 0;
      if (status == FLX_STATUS_OK) {
        OK(flx_results_count(found, &count, &error));
        (void)flx_results_predicate(found);
        flx_results_release(found);
        accepted++;
      } else if (status == FLX_STATUS_QUERY_SYNTAX) {
        refused++;
      } else {
        FAIL("depth %d: %s", depth, error.message);
      }
      flx_results_release(all);
      (void)flx_query_parse(text(query), NULL, &error);
    }
    CHECK(accepted > 0);
    CHECK(form == 2 || refused > 0);
  }
  return NULL;
}

#ifndef MISUSE_SMALL_STACK
#define MISUSE_SMALL_STACK 0x10000
#endif

static void on_a_small_stack(void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, MISUSE_SMALL_STACK);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, body, argument) == 0);
  pthread_join(thread, NULL);
}

static void deep_queries(void) {
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  on_a_small_stack(query_deeply, realm);
}

static void ignore_changes(void *userdata, flx_realm_t *realm) { (void)userdata, (void)realm; }

static void *do_everything(void *unused) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_notification_token_t *token = NULL;
  OK(flx_realm_observe(realm, ignore_changes, NULL, NULL, &token, &error));
  flx_object_t *object = create_object(realm, 1), *found = NULL;
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = FLX_STRING("x")};
  flx_list_t *list = NULL;
  OK(flx_object_set(object, property_key(realm, "name"), &value, &error));
  OK(flx_object_get_list(object, property_key(realm, "tags"), &list, &error));
  OK(flx_list_insert(list, 0, &value, &error));
  OK(flx_realm_commit_write(realm, &error));
  flx_results_t *results = all_objects(realm);
  OK(flx_results_get_object(results, 0, &found, &error));
  OK(flx_object_get(found, property_key(realm, "name"), &value, &error));
  OK(flx_realm_begin_write(realm, &error));
  OK(flx_results_delete_all(results, &error));
  OK(flx_realm_commit_write(realm, &error));
  flx_realm_release(realm);
  return unused;
}

static void a_whole_life(void) { on_a_small_stack(do_everything, NULL); }

static void *use_an_app(void *unused) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  EXPECT(FLX_STATUS_CONNECTION_FAILED,
         flx_app_register_email_blocking(app, FLX_STRING("a@b.c"), FLX_STRING("password"), &error));
  flx_app_release(app);
  return unused;
}

static void a_small_app(void) { on_a_small_stack(use_an_app, NULL); }

static const misuse_case_t CASES[] = {
    {"deep queries on a small stack are answered or refused", deep_queries, NULL},
    {"a realm can be used on a small stack", a_whole_life, NULL},
    {"an app can be used on a small stack", a_small_app, NULL},
};

MISUSE_MAIN(CASES)
