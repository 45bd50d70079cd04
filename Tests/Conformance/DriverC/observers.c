/* SPDX-License-Identifier: Apache-2.0 */
/* Observers, and what they have been told. */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* One observer; its token is NULL if it is not in use. */
typedef struct {
  device_t *device;
  char name[32];
  flx_class_key_t class_key;
  flx_notification_token_t *token;
  /* The lines since the last step `changes`. */
  char *told;
  size_t size;
  FILE *out;
} observer_t;

static observer_t observers[16];
enum { MAX_OBSERVERS = sizeof observers / sizeof *observers };

/* Makes a place for the lines to come. */
static void listen(observer_t *observer) { observer->out = open_memstream(&observer->told, &observer->size); }

/* Drops the lines. */
static void forget(observer_t *observer) {
  fclose(observer->out);
  free(observer->told);
}

static observer_t *new_observer(device_t *device, const json_t *step) {
  for (size_t i = 0; i < MAX_OBSERVERS; i++) {
    observer_t *observer = &observers[i];
    if (observer->token) continue;
    observer->device = device;
    snprintf(observer->name, sizeof observer->name, "%s", required(step, "as"));
    observer->class_key = class_named(device, required(step, "class")).key;
    listen(observer);
    return observer;
  }
  die("too many observers");
  return NULL;
}

static void end(observer_t *observer) {
  flx_notification_token_release(observer->token);
  forget(observer);
  observer->token = NULL;
}

/* ---- being told ---- */

static void tell_indexes(FILE *out, const char *verb, const size_t *indexes, size_t count) {
  if (!count) return;
  fprintf(out, " %s [", verb);
  for (size_t i = 0; i < count; i++) fprintf(out, i ? ", %zu" : "%zu", indexes[i]);
  fprintf(out, "]");
}

static void collection_changed(void *userdata, const flx_collection_changes_t *changes) {
  observer_t *observer = userdata;
  fprintf(observer->out, "%s: %s:", observer->device->name, observer->name);
  if (changes->is_initial) fprintf(observer->out, " first");
  tell_indexes(observer->out, "deleted", changes->deletions, changes->deletion_count);
  tell_indexes(observer->out, "inserted", changes->insertions, changes->insertion_count);
  tell_indexes(observer->out, "modified", changes->modifications, changes->modification_count);
  fprintf(observer->out, "\n");
}

static void tell_keys(FILE *out, const char *verb, const flx_string_t *keys, size_t count) {
  if (!count) return;
  fprintf(out, " %s [", verb);
  for (size_t i = 0; i < count; i++) fprintf(out, "%s%.*s", i ? ", " : "", (int)keys[i].size, keys[i].data);
  fprintf(out, "]");
}

static void dictionary_changed(void *userdata, const flx_dictionary_changes_t *changes) {
  observer_t *observer = userdata;
  fprintf(observer->out, "%s: %s:", observer->device->name, observer->name);
  if (changes->is_initial) fprintf(observer->out, " first");
  tell_keys(observer->out, "deleted", changes->deletions, changes->deletion_count);
  tell_keys(observer->out, "inserted", changes->insertions, changes->insertion_count);
  tell_keys(observer->out, "modified", changes->modifications, changes->modification_count);
  fprintf(observer->out, "\n");
}

static bool has_key(const flx_object_changes_t *changes, flx_property_key_t key) {
  for (size_t i = 0; i < changes->property_count; i++)
    if (changes->properties[i] == key) return true;
  return false;
}

static void object_changed(void *userdata, const flx_object_changes_t *changes) {
  observer_t *observer = userdata;
  flx_class_info_t info = class_with_key(observer->device, observer->class_key);
  fprintf(observer->out, "%s: %s:", observer->device->name, observer->name);
  fprintf(observer->out, changes->is_deleted ? " deleted" : " changed");
  for (size_t i = 0; i < info.property_count; i++) {
    const flx_property_info_t *property = &info.properties[i];
    if (has_key(changes, property->key)) fprintf(observer->out, " %.*s", (int)property->name.size, property->name.data);
  }
  fprintf(observer->out, "\n");
}

/* ---- steps ---- */

enum { MAX_KEY_PATHS = 4 };

/* The key paths of a step; returns their number. */
static size_t key_paths_of(const json_t *step, flx_string_t *paths) {
  const json_t *given = json_object_get(step, "keyPaths");
  size_t count = json_array_size(given);
  if (count > MAX_KEY_PATHS) die("too many key paths");
  for (size_t i = 0; i < count; i++) paths[i] = text(json_string_value(json_array_get(given, i)));
  return count;
}

static void observe_collection(observer_t *observer, flx_object_t *object, const flx_property_info_t *property,
                               const flx_string_t *paths, size_t count) {
  flx_error_t error;
  flx_list_t *list;
  flx_set_t *set;
  flx_dictionary_t *dictionary;
  switch (property->collection) {
    case FLX_COLLECTION_LIST:
      check(flx_object_get_list(object, property->key, &list, &error), &error);
      check(flx_list_observe_key_paths(list, paths, count, collection_changed, observer, NULL, &observer->token, &error),
            &error);
      flx_list_release(list);
      break;
    case FLX_COLLECTION_SET:
      check(flx_object_get_set(object, property->key, &set, &error), &error);
      check(flx_set_observe_key_paths(set, paths, count, collection_changed, observer, NULL, &observer->token, &error),
            &error);
      flx_set_release(set);
      break;
    case FLX_COLLECTION_DICTIONARY:
      check(flx_object_get_dictionary(object, property->key, &dictionary, &error), &error);
      check(flx_dictionary_observe_key_paths(dictionary, paths, count, dictionary_changed, observer, NULL,
                                             &observer->token, &error),
            &error);
      flx_dictionary_release(dictionary);
      break;
    default: die("only collections and objects are observed");
  }
}

static void observe_object(observer_t *observer, const json_t *step, const flx_string_t *paths, size_t count) {
  flx_error_t error;
  flx_property_info_t property;
  const char *name = member(step, "property");
  flx_object_t *object = find_object(observer->device, required(step, "class"), required(step, "id"));
  if (!object) die("there is no %s to observe", required(step, "class"));
  if (name) {
    check(flx_realm_find_property(observer->device->realm, observer->class_key, text(name), &property, &error), &error);
    observe_collection(observer, object, &property, paths, count);
  } else {
    check(flx_object_observe_key_paths(object, paths, count, object_changed, observer, NULL, &observer->token, &error),
          &error);
  }
  flx_object_release(object);
}

void do_observe(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_string_t paths[MAX_KEY_PATHS];
  size_t count = key_paths_of(step, paths);
  observer_t *observer = new_observer(device, step);
  if (member(step, "id")) {
    observe_object(observer, step, paths, count);
  } else {
    flx_results_t *results = results_of(device, step, &error);
    if (!results) die("%s", error.message);
    check(flx_results_observe_key_paths(results, paths, count, collection_changed, observer, NULL, &observer->token,
                                        &error),
          &error);
    flx_results_release(results);
  }
  printf("%s: observes %s\n", device->name, observer->name);
}

void do_unobserve(device_t *device, const json_t *step) {
  for (size_t i = 0; i < MAX_OBSERVERS; i++) {
    observer_t *observer = &observers[i];
    if (observer->token && observer->device == device && !strcmp(observer->name, required(step, "as"))) end(observer);
  }
  printf("%s: no longer observes %s\n", device->name, required(step, "as"));
}

void do_changes(device_t *device) {
  flx_error_t error;
  bool is_news = false;
  check(flx_realm_refresh(device->realm, NULL, &error), &error);
  for (size_t i = 0; i < MAX_OBSERVERS; i++) {
    observer_t *observer = &observers[i];
    if (!observer->token || observer->device != device) continue;
    fflush(observer->out);
    if (!observer->size) continue;
    is_news = true;
    printf("%s", observer->told);
    forget(observer);
    listen(observer);
  }
  if (!is_news) printf("%s: no changes\n", device->name);
}

void end_observers(device_t *device) {
  for (size_t i = 0; i < MAX_OBSERVERS; i++)
    if (observers[i].token && observers[i].device == device) end(&observers[i]);
}
