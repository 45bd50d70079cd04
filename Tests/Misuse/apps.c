/* SPDX-License-Identifier: Apache-2.0 */
/* Apps with settings that contradict each other or cannot work; links and updates of realms that are gone or others. */
#include "misuse.h"

static void other_settings(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL, *other = NULL;
  OK(flx_app_create(&config, &app, &error));
  config.request_timeout_ms = 60000; /* the default, said aloud */
  OK(flx_app_create(&config, &other, &error));
  CHECK(app == other);
  config.request_timeout_ms = 1000;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &other, &error));
  SAYS("request_timeout_ms is 60000, not 1000");
  config.request_timeout_ms = 0;
  config.connect_timeout_ms = 7;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &other, &error));
  SAYS("connect_timeout_ms");
  config.connect_timeout_ms = 0;
  config.loop_mode = FLX_LOOP_POLL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &other, &error));
  SAYS("loop_mode is FLX_LOOP_OWN_THREAD, not FLX_LOOP_POLL");
  config.loop_mode = FLX_LOOP_OWN_THREAD;
  config.trusted_certificates_file = FLX_STRING("/nowhere.pem");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &other, &error));
  SAYS("trusted_certificates_file");
  config = app_config();
  config.app_id = FLX_STRING("another");
  config.loop_mode = FLX_LOOP_POLL;
  OK(flx_app_create(&config, &other, &error));
  CHECK(flx_app_poll_descriptor(other) >= 0);
}

static void unusable_urls(void) {
  const char *urls[] = {"", "127.0.0.1:9090", "http://", "http://a:b", "http://a:0", "http://a:99999", "http://a b",
                        "http://a?x", "http://a#x", "http://user@a", "https://[::1", "http:// a", "ftp://a", "ws://a"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    flx_app_config_t config = app_config();
    config.base_url = text(urls[i]);
    flx_app_t *app = NULL;
    EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &app, &error));
    SAYS("base_url");
  }
}

static void links_of_another_realm(void) {
  flx_realm_t *one = open_realm("one.realm"), *two = open_realm("two.realm"), *again = open_realm("one.realm");
  flx_object_t *object = create_object(one, 1);
  OK(flx_realm_commit_write(one, &error));
  flx_link_t link = flx_object_link(object);
  flx_object_t *other = create_object(two, 2), *found = NULL;
  flx_value_t value = {.type = FLX_TYPE_LINK, .link = link};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_object_set(other, property_key(two, "next"), &value, &error));
  SAYS("another realm");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_object_get_linked(two, link, &found, &error));
  flx_query_argument_t argument = {.values = &value, .count = 1};
  flx_results_t *results = NULL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT,
         flx_results_filter(all_objects(two), FLX_STRING("next == $0"), &argument, 1, &results, &error));
  OK(flx_realm_refresh(again, NULL, &error));
  OK(flx_object_get_linked(again, link, &found, &error));
  CHECK(found != NULL);
}

static void use_after_close(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  flx_list_t *list = NULL;
  flx_property_key_t name = property_key(realm, "name");
  OK(flx_object_get_list(object, property_key(realm, "tags"), &list, &error));
  OK(flx_realm_commit_write(realm, &error));
  flx_results_t *results = all_objects(realm);
  flx_realm_release(realm);
  flx_value_t value = {.type = FLX_TYPE_NULL};
  size_t count = 0;
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_object_get(object, name, &value, &error));
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_object_set(object, name, &value, &error));
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_object_delete(object, &error));
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_list_count(list, &count, &error));
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_results_count(results, &count, &error));
  EXPECT(FLX_STATUS_OBJECT_INVALIDATED, flx_results_delete_all(results, &error));
  CHECK(!flx_object_is_valid(object));
}

static const misuse_case_t CASES[] = {
    {"an app with other settings is refused, naming the setting", other_settings, NULL},
    {"unusable URLs are refused at creation", unusable_urls, NULL},
    {"links of another realm are refused", links_of_another_realm, NULL},
    {"what a closed realm gave is invalid", use_after_close, NULL},
};

MISUSE_MAIN(CASES)
