/* SPDX-License-Identifier: Apache-2.0 */
/* Handles that are of another type, were released, or never were handles. Scripts/support/null_arguments.py does NULL. */
#include "misuse.h"

static void of_another_type(void) { (void)flx_realm_refresh((flx_realm_t *)all_objects(open_realm("a.realm")), NULL, &error); }

static void of_a_config(void) {
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")),
                               .user = (flx_user_t *)open_realm("b.realm")};
  flx_realm_t *realm = NULL;
  (void)flx_realm_open(&config, &realm, &error);
}

static void a_pointer(void) {
  int number = 0;
  (void)flx_realm_refresh((flx_realm_t *)&number, NULL, &error);
}

static void a_small_number(void) { (void)flx_results_count((flx_results_t *)7, &(size_t){0}, &error); }

static void an_object_released_twice(void) {
  flx_object_t *object = create_object(open_realm("a.realm"), 1);
  flx_object_release(object);
  flx_object_release(object);
}

static void a_realm_released_twice(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_realm_release(realm);
  flx_realm_release(realm);
}

static void an_app_released_twice(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  CHECK(flx_app_retain(app) == app);
  flx_app_release(app);
  flx_app_release(app);
  flx_app_release(app);
}

static void a_read_after_release(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_property_key_t done = property_key(realm, "done");
  flx_object_t *object = create_object(realm, 1);
  flx_value_t value;
  OK(flx_object_get(object, done, &value, &error));
  flx_object_release(object);
  (void)flx_object_get(object, done, &value, &error);
}

/* The place of a handle is used again, but its old handle is not the new one. */
static void a_read_after_reuse(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  flx_object_release(object);
  for (int64_t i = 2; i < 100; i++) CHECK(create_object(realm, i) != object);
  (void)flx_object_is_valid(object);
}

static void release_borrowed(void *userdata, flx_realm_t *realm) {
  (void)userdata;
  flx_realm_release(realm);
  flx_realm_release(realm);
}

static void a_borrowed_realm(void) {
  flx_realm_t *realm = open_realm("a.realm"), *other = open_realm("a.realm");
  flx_notification_token_t *token = NULL;
  OK(flx_realm_observe(realm, release_borrowed, NULL, NULL, &token, &error));
  create_object(other, 1);
  OK(flx_realm_commit_write(other, &error));
  (void)flx_realm_refresh(realm, NULL, &error);
}

static void same_realm(void *userdata, flx_realm_t *realm) {
  if (realm != userdata) FAIL("the realm of an observer is %p, not %p", (void *)realm, userdata);
}

static void handles_that_are_right(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_notification_token_t *token = NULL;
  OK(flx_realm_observe(realm, same_realm, realm, NULL, &token, &error));
  flx_object_t *object = create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  CHECK(flx_object_retain(object) == object);
  flx_object_release(object);
  CHECK(flx_object_is_valid(object));
  flx_object_release(object);
  flx_results_t *results = all_objects(realm);
  for (int i = 0; i < 100000; i++) {
    flx_object_t *found = NULL;
    OK(flx_results_get_object(results, 0, &found, &error));
    flx_object_release(found);
  }
  flx_notification_token_release(token);
  flx_realm_release(realm);
  flx_results_release(results);
}

static void everything_is_released(void) {
  CHECK(flx_instance_count() == 0);
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  flx_list_t *list = NULL;
  OK(flx_object_get_list(object, property_key(realm, "tags"), &list, &error));
  flx_results_t *results = all_objects(realm);
  CHECK(flx_instance_count() == 4);
  CHECK(flx_list_retain(list) == list && flx_realm_retain(realm) == realm);
  flx_list_release(list);
  flx_realm_release(realm);
  CHECK(flx_instance_count() == 4 && flx_object_is_valid(object));
  flx_list_release(list);
  flx_object_release(object);
  flx_results_release(results);
  flx_realm_release(realm);
  CHECK(flx_instance_count() == 0);
}

static void tell(void *userdata, const char *function, const char *message) {
  fprintf(stderr, "%s: in %s, %s\n", (const char *)userdata, function, message);
}

static void told_to_a_handler(void) {
  flx_set_misuse_handler(tell, "the handler says");
  (void)flx_results_count((flx_results_t *)7, &(size_t){0}, &error);
}

static void told_to_no_handler(void) {
  flx_set_misuse_handler(tell, "the handler says");
  flx_set_misuse_handler(NULL, NULL);
  (void)flx_results_count((flx_results_t *)7, &(size_t){0}, &error);
}

static const misuse_case_t CASES[] = {
    {"handles are counted until they are released", everything_is_released, NULL},
    {"a handler is told of misuse before the process ends", told_to_a_handler,
     "the handler says: in flx_results_count, the argument 'results' is not a FlexSync handle"},
    {"without the handler the library tells it", told_to_no_handler, "FlexSync: flx_results_count: the argument 'results'"},
    {"right handles work", handles_that_are_right, NULL},
    {"a handle of another type aborts", of_another_type, "flx_realm_refresh: the argument 'realm' is a flx_results_t *"},
    {"a handle of another type in a configuration aborts", of_a_config, "flx_realm_open: the argument 'user' is a flx_realm_t *"},
    {"a pointer to something else aborts", a_pointer, "flx_realm_refresh: the argument 'realm' is not a FlexSync handle"},
    {"a small number aborts", a_small_number, "flx_results_count: the argument 'results' is not a FlexSync handle"},
    {"releasing an object twice aborts", an_object_released_twice, "flx_object_release: the argument 'object' was already released"},
    {"releasing a realm twice aborts", a_realm_released_twice, "flx_realm_release: the argument 'realm' was already released"},
    {"releasing an app once too often aborts", an_app_released_twice, "flx_app_release: the argument 'app' was already released"},
    {"reading a released object aborts", a_read_after_release, "flx_object_get: the argument 'object' was already released"},
    {"a released handle never means a later object", a_read_after_reuse, "flx_object_is_valid: the argument 'object' was already released"},
    {"releasing a borrowed realm aborts", a_borrowed_realm, "the argument 'realm' was already released"},
};

MISUSE_MAIN(CASES)
