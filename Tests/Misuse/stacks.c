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

static void a_small_stack(void) {
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, query_deeply, realm) == 0);
  pthread_join(thread, NULL);
}

static const misuse_case_t CASES[] = {
    {"deep queries on a small stack are answered or refused", a_small_stack, NULL},
};

MISUSE_MAIN(CASES)
