/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static flx_object_id_t parse_id(const char *hex) {
  flx_object_id_t id;
  if (!flx_object_id_parse(text(hex), &id)) die("'%s' is not an object id", hex);
  return id;
}

flx_object_t *find_object(device_t *device, const char *class_name, const char *id) {
  flx_error_t error;
  flx_object_t *object;
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = parse_id(id)};
  check(flx_object_find(device->realm, class_named(device, class_name).key, &key, &object, &error), &error);
  return object;
}

static flx_value_t value_for(device_t *device, const flx_property_info_t *property, const json_t *json) {
  if (json_is_null(json)) return (flx_value_t){.type = FLX_TYPE_NULL};
  flx_value_t value = {.type = property->type};
  switch (property->type) {
    case FLX_TYPE_STRING: value.string = text(json_string_value(json)); break;
    case FLX_TYPE_INT: value.integer = json_integer_value(json); break;
    case FLX_TYPE_BOOL: value.boolean = json_is_true(json); break;
    case FLX_TYPE_TIMESTAMP: value.timestamp.seconds = json_integer_value(json); break;
    case FLX_TYPE_DECIMAL:
      if (!flx_decimal_parse(text(json_string_value(json)), &value.decimal)) die("no decimal for a property");
      break;
    case FLX_TYPE_LINK: {
      char target[64];
      snprintf(target, sizeof target, "%.*s", (int)property->link_target.size, property->link_target.data);
      flx_object_t *object = find_object(device, target, json_string_value(json));
      if (!object) die("there is no %s %s to link to", target, json_string_value(json));
      value.link = flx_object_link(object);
      flx_object_release(object);
      break;
    }
    default: die("a scenario cannot write type %d", (int)property->type);
  }
  return value;
}

static flx_property_info_t property_named(device_t *device, const char *class_name, const char *name) {
  flx_error_t error;
  flx_property_info_t info;
  check(flx_realm_find_property(device->realm, class_named(device, class_name).key, text(name), &info, &error), &error);
  return info;
}

static flx_status_t set_values(device_t *device, const char *class_name, flx_object_t *object, json_t *values,
                               flx_error_t *error);

/* Gives a new embedded object the values of a JSON object, if it could be created, and releases it. */
static flx_status_t fill_embedded(device_t *device, const flx_property_info_t *property, flx_status_t status,
                                  flx_object_t *embedded, json_t *values, flx_error_t *error) {
  if (status != FLX_STATUS_OK) return status;
  char target[64];
  snprintf(target, sizeof target, "%.*s", (int)property->link_target.size, property->link_target.data);
  status = set_values(device, target, embedded, values, error);
  flx_object_release(embedded);
  return status;
}

static flx_status_t set_values(device_t *device, const char *class_name, flx_object_t *object, json_t *values,
                               flx_error_t *error) {
  const char *name;
  json_t *json;
  json_object_foreach(values, name, json) {
    flx_property_info_t property = property_named(device, class_name, name);
    flx_status_t status;
    if (property.collection != FLX_COLLECTION_NONE) die("'%s' is filled with edits, not with values", name);
    if (property.type == FLX_TYPE_MIXED) {
      status = set_mixed(device, object, property.key, json, error);
      if (status != FLX_STATUS_OK) return status;
      continue;
    }
    if (json_is_object(json)) {
      flx_object_t *embedded = NULL;
      status = flx_object_set_embedded(object, property.key, &embedded, error);
      status = fill_embedded(device, &property, status, embedded, json, error);
      if (status != FLX_STATUS_OK) return status;
      continue;
    }
    flx_value_t value = value_for(device, &property, json);
    status = flx_object_set(object, property.key, &value, error);
    if (status != FLX_STATUS_OK) return status;
  }
  return FLX_STATUS_OK;
}

static flx_status_t edit_list(flx_object_t *object, flx_property_key_t property, const char *operation,
                              const json_t *change, const flx_value_t *value, flx_error_t *error) {
  size_t index = (size_t)json_integer_value(json_object_get(change, "index"));
  size_t to = (size_t)json_integer_value(json_object_get(change, "to"));
  flx_list_t *list;
  check(flx_object_get_list(object, property, &list, error), error);
  flx_status_t status;
  if (!strcmp(operation, "insert")) status = flx_list_insert(list, index, value, error);
  else if (!strcmp(operation, "replace")) status = flx_list_set(list, index, value, error);
  else if (!strcmp(operation, "erase")) status = flx_list_erase(list, index, error);
  else if (!strcmp(operation, "move")) status = flx_list_move(list, index, to, error);
  else status = flx_list_clear(list, error);
  flx_list_release(list);
  return status;
}

static flx_status_t edit_set(flx_object_t *object, flx_property_key_t property, const char *operation,
                             const flx_value_t *value, flx_error_t *error) {
  flx_set_t *set;
  check(flx_object_get_set(object, property, &set, error), error);
  flx_status_t status;
  if (!strcmp(operation, "include")) status = flx_set_insert(set, value, NULL, error);
  else if (!strcmp(operation, "exclude")) status = flx_set_erase(set, value, NULL, error);
  else status = flx_set_clear(set, error);
  flx_set_release(set);
  return status;
}

static flx_status_t edit_dictionary(flx_object_t *object, flx_property_key_t property, const char *operation,
                                    const json_t *change, const flx_value_t *value, flx_error_t *error) {
  flx_dictionary_t *dictionary;
  check(flx_object_get_dictionary(object, property, &dictionary, error), error);
  flx_status_t status;
  if (!strcmp(operation, "put")) status = flx_dictionary_set(dictionary, text(required(change, "key")), value, error);
  else if (!strcmp(operation, "drop")) status = flx_dictionary_erase(dictionary, text(required(change, "key")), NULL, error);
  else status = flx_dictionary_clear(dictionary, error);
  flx_dictionary_release(dictionary);
  return status;
}

/* Creates an embedded object in a list or dictionary. */
static flx_status_t edit_embedded(device_t *device, flx_object_t *object, const flx_property_info_t *property,
                                  const char *operation, const json_t *change, flx_error_t *error) {
  size_t index = (size_t)json_integer_value(json_object_get(change, "index"));
  flx_object_t *embedded = NULL;
  flx_status_t status;
  if (property->collection == FLX_COLLECTION_DICTIONARY) {
    flx_dictionary_t *dictionary;
    check(flx_object_get_dictionary(object, property->key, &dictionary, error), error);
    status = flx_dictionary_set_embedded(dictionary, text(required(change, "key")), &embedded, error);
    flx_dictionary_release(dictionary);
  } else {
    flx_list_t *list;
    check(flx_object_get_list(object, property->key, &list, error), error);
    status = strcmp(operation, "insert") ? flx_list_set_embedded(list, index, &embedded, error)
                                         : flx_list_insert_embedded(list, index, &embedded, error);
    flx_list_release(list);
  }
  return fill_embedded(device, property, status, embedded, json_object_get(change, "value"), error);
}

static flx_status_t edit_collection(device_t *device, const json_t *change, const char *operation,
                                    const char *property_name, flx_error_t *error) {
  const char *class_name = required(change, "class");
  flx_object_t *object = find_object(device, class_name, required(change, "id"));
  if (!object) die("there is no %s %s", class_name, required(change, "id"));
  flx_property_info_t property = property_named(device, class_name, property_name);
  if (property.type == FLX_TYPE_MIXED) {
    flx_status_t edited = edit_mixed(device, object, &property, operation, change, error);
    flx_object_release(object);
    return edited;
  }
  flx_status_t status;
  if (json_is_object(json_object_get(change, "value"))) {
    status = edit_embedded(device, object, &property, operation, change, error);
    flx_object_release(object);
    return status;
  }
  flx_value_t value = value_for(device, &property, json_object_get(change, "value") ? json_object_get(change, "value") : json_null());
  switch (property.collection) {
    case FLX_COLLECTION_LIST: status = edit_list(object, property.key, operation, change, &value, error); break;
    case FLX_COLLECTION_SET: status = edit_set(object, property.key, operation, &value, error); break;
    case FLX_COLLECTION_DICTIONARY:
      status = edit_dictionary(object, property.key, operation, change, &value, error);
      break;
    default: die("%s.%s is no collection", class_name, property_name); return FLX_STATUS_INTERNAL;
  }
  flx_object_release(object);
  return status;
}

/* Takes over `object` and gives the embedded object that a step of a path leads to. */
static flx_object_t *step_inside(device_t *device, flx_object_t *object, const flx_property_info_t *property,
                                 const json_t *place) {
  flx_error_t error;
  flx_value_t value;
  flx_list_t *list = NULL;
  flx_dictionary_t *dictionary = NULL;
  flx_object_t *inside;
  switch (property->collection) {
    case FLX_COLLECTION_LIST:
      check(flx_object_get_list(object, property->key, &list, &error), &error);
      check(flx_list_get(list, (size_t)json_integer_value(place), &value, &error), &error);
      break;
    case FLX_COLLECTION_DICTIONARY:
      check(flx_object_get_dictionary(object, property->key, &dictionary, &error), &error);
      check(flx_dictionary_get(dictionary, text(json_string_value(place)), &value, NULL, &error), &error);
      break;
    default: check(flx_object_get(object, property->key, &value, &error), &error);
  }
  if (value.type != FLX_TYPE_LINK) die("there is no embedded object to set");
  check(flx_object_get_linked(device->realm, value.link, &inside, &error), &error);
  flx_list_release(list);
  flx_dictionary_release(dictionary);
  flx_object_release(object);
  return inside;
}

/* Sets values of the object that is reached by "inside": property names, each of a collection followed by index or key. */
static flx_status_t set_inside(device_t *device, const char *class_name, flx_object_t *object, const json_t *change,
                               flx_error_t *error) {
  const json_t *path = json_object_get(change, "inside");
  char name[64];
  snprintf(name, sizeof name, "%s", class_name);
  for (size_t i = 0; i < json_array_size(path); i++) {
    flx_property_info_t property = property_named(device, name, json_string_value(json_array_get(path, i)));
    if (property.collection != FLX_COLLECTION_NONE) i++;
    object = step_inside(device, object, &property, json_array_get(path, i));
    snprintf(name, sizeof name, "%.*s", (int)property.link_target.size, property.link_target.data);
  }
  flx_status_t status = set_values(device, name, object, json_object_get(change, "values"), error);
  flx_object_release(object);
  return status;
}

static flx_status_t increment(device_t *device, const json_t *change, flx_error_t *error) {
  const char *class_name = required(change, "class");
  flx_object_t *object = find_object(device, class_name, required(change, "id"));
  if (!object) die("there is no %s %s", class_name, required(change, "id"));
  flx_property_info_t property = property_named(device, class_name, required(change, "increment"));
  json_int_t delta = json_integer_value(json_object_get(change, "value"));
  flx_status_t status = flx_object_add_integer(object, property.key, delta, error);
  flx_object_release(object);
  return status;
}

static flx_status_t apply(device_t *device, const json_t *change, flx_error_t *error) {
  static const char *const operations[] = {"insert", "replace", "erase", "move", "clear",
                                           "include", "exclude", "put", "drop"};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    const char *property = member(change, operations[i]);
    if (property) return edit_collection(device, change, operations[i], property, error);
  }
  if (member(change, "increment")) return increment(device, change, error);
  if (member(change, "resubmit")) return resubmit(device, change, error);
  flx_object_t *object = NULL;
  flx_status_t status = FLX_STATUS_OK;
  const char *class_name;
  if ((class_name = member(change, "create"))) {
    flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = parse_id(required(change, "id"))};
    status = flx_object_create(device->realm, class_named(device, class_name).key, &key, &object, error);
    if (status == FLX_STATUS_OK)
      status = set_values(device, class_name, object, json_object_get(change, "values"), error);
  } else if ((class_name = member(change, "set"))) {
    if (!(object = find_object(device, class_name, required(change, "id")))) die("there is no %s to set", class_name);
    return set_inside(device, class_name, object, change, error);
  } else if ((class_name = member(change, "delete"))) {
    if (!(object = find_object(device, class_name, required(change, "id")))) die("there is no %s to delete", class_name);
    status = flx_object_delete(object, error);
  } else {
    die("unknown change of a write");
  }
  flx_object_release(object);
  return status;
}

void do_begin(device_t *device) {
  flx_error_t error;
  check(flx_realm_begin_write(device->realm, &error), &error);
  device->is_writing = true;
  printf("%s: began\n", device->name);
}

void do_commit(device_t *device) {
  flx_error_t error;
  check(flx_realm_commit_write(device->realm, &error), &error);
  device->is_writing = false;
  printf("%s: committed\n", device->name);
}

void do_cancel(device_t *device) {
  flx_error_t error;
  check(flx_realm_cancel_write(device->realm, &error), &error);
  device->is_writing = false;
  printf("%s: canceled\n", device->name);
}

void do_write(device_t *device, const json_t *step) {
  flx_error_t error;
  bool is_whole = !device->is_writing;
  if (is_whole) check(flx_realm_begin_write(device->realm, &error), &error);
  json_t *changes = json_object_get(step, "changes"), *change;
  size_t index;
  json_array_foreach(changes, index, change) {
    flx_error_t failure;
    if (apply(device, change, &failure) == FLX_STATUS_OK) continue;
    printf("%s: failed: %s\n", device->name, failure.message);
    if (is_whole) check(flx_realm_cancel_write(device->realm, &error), &error);
    return;
  }
  if (is_whole && flx_realm_commit_write(device->realm, &error) != FLX_STATUS_OK) {
    printf("%s: failed: %s\n", device->name, error.message);
    if (flx_realm_is_in_write(device->realm)) check(flx_realm_cancel_write(device->realm, &error), &error);
    return;
  }
  printf("%s: wrote\n", device->name);
}

/* ---- dump ---- */

typedef struct {
  char *data;
  size_t size;
} line_t;

static void print_properties(FILE *out, device_t *device, const flx_class_info_t *info, flx_object_t *object);

void print_value(FILE *out, device_t *device, const flx_value_t *value) {
  flx_error_t error;
  char hex[25];
  switch (value->type) {
    case FLX_TYPE_NULL: fprintf(out, "null"); break;
    case FLX_TYPE_STRING: fprintf(out, "%.*s", (int)value->string.size, value->string.data); break;
    case FLX_TYPE_INT: fprintf(out, "%" PRId64, value->integer); break;
    case FLX_TYPE_BOOL: fprintf(out, value->boolean ? "true" : "false"); break;
    case FLX_TYPE_TIMESTAMP: fprintf(out, "%" PRId64, value->timestamp.seconds); break;
    case FLX_TYPE_DOUBLE: fprintf(out, "%g", value->double_value); break;
    case FLX_TYPE_DECIMAL: {
      char digits[FLX_DECIMAL_TEXT_SIZE];
      flx_decimal_format(value->decimal, digits);
      fprintf(out, "%s", digits);
      break;
    }
    case FLX_TYPE_OBJECT_ID:
      flx_object_id_format(&value->object_id, hex);
      fprintf(out, "%s", hex);
      break;
    case FLX_TYPE_LINK: {
      flx_object_t *target;
      flx_value_t key;
      flx_property_info_t id;
      flx_class_info_t info;
      check(flx_object_get_linked(device->realm, value->link, &target, &error), &error);
      info = class_with_key(device, value->link.target_class);
      if (info.kind == FLX_CLASS_EMBEDDED) {
        fprintf(out, "(");
        print_properties(out, device, &info, target);
        fprintf(out, ")");
        flx_object_release(target);
        break;
      }
      check(flx_realm_find_property(device->realm, value->link.target_class, text("_id"), &id, &error), &error);
      check(flx_object_get(target, id.key, &key, &error), &error);
      print_value(out, device, &key);
      flx_object_release(target);
      break;
    }
    default: fprintf(out, "?");
  }
}

static void print_list(FILE *out, device_t *device, flx_object_t *object, flx_property_key_t property) {
  flx_error_t error;
  flx_list_t *list;
  size_t count;
  check(flx_object_get_list(object, property, &list, &error), &error);
  check(flx_list_count(list, &count, &error), &error);
  fprintf(out, "[");
  for (size_t i = 0; i < count; i++) {
    flx_value_t value;
    check(flx_list_get(list, i, &value, &error), &error);
    if (i) fprintf(out, ", ");
    print_value(out, device, &value);
  }
  fprintf(out, "]");
  flx_list_release(list);
}

static void print_set(FILE *out, device_t *device, flx_object_t *object, flx_property_key_t property) {
  flx_error_t error;
  flx_set_t *set;
  size_t count;
  check(flx_object_get_set(object, property, &set, &error), &error);
  check(flx_set_count(set, &count, &error), &error);
  fprintf(out, "[");
  for (size_t i = 0; i < count; i++) {
    flx_value_t value;
    check(flx_set_get(set, i, &value, &error), &error);
    if (i) fprintf(out, ", ");
    print_value(out, device, &value);
  }
  fprintf(out, "]");
  flx_set_release(set);
}

static void print_dictionary(FILE *out, device_t *device, flx_object_t *object, flx_property_key_t property) {
  flx_error_t error;
  flx_dictionary_t *dictionary;
  size_t count;
  check(flx_object_get_dictionary(object, property, &dictionary, &error), &error);
  check(flx_dictionary_count(dictionary, &count, &error), &error);
  fprintf(out, "{");
  for (size_t i = 0; i < count; i++) {
    flx_string_t key;
    flx_value_t value;
    check(flx_dictionary_get_at(dictionary, i, &key, &value, &error), &error);
    fprintf(out, "%s%.*s: ", i ? ", " : "", (int)key.size, key.data);
    print_value(out, device, &value);
  }
  fprintf(out, "}");
  flx_dictionary_release(dictionary);
}

static void print_properties(FILE *out, device_t *device, const flx_class_info_t *info, flx_object_t *object) {
  flx_error_t error;
  for (size_t i = 0; i < info->property_count; i++) {
    const flx_property_info_t *property = &info->properties[i];
    if (!property->is_primary_key)
      fprintf(out, "%s%.*s=", i ? " " : "", (int)property->name.size, property->name.data);
    flx_value_t value;
    if (property->type == FLX_TYPE_MIXED) {
      print_mixed(out, device, object, property);
      continue;
    }
    switch (property->collection) {
      case FLX_COLLECTION_LIST: print_list(out, device, object, property->key); break;
      case FLX_COLLECTION_SET: print_set(out, device, object, property->key); break;
      case FLX_COLLECTION_DICTIONARY: print_dictionary(out, device, object, property->key); break;
      default:
        check(flx_object_get(object, property->key, &value, &error), &error);
        print_value(out, device, &value);
    }
  }
}

static line_t object_line(device_t *device, const flx_class_info_t *info, flx_object_t *object) {
  line_t line;
  FILE *out = open_memstream(&line.data, &line.size);
  print_properties(out, device, info, object);
  fclose(out);
  return line;
}

static int by_text(const void *left, const void *right) {
  return strcmp(((const line_t *)left)->data, ((const line_t *)right)->data);
}

void do_dump(device_t *device, const json_t *step) {
  flx_error_t error;
  size_t count;
  flx_class_info_t info = class_named(device, required(step, "class"));
  flx_results_t *results = results_of(device, step, &error);
  if (!results) die("%s", error.message);
  check(flx_results_count(results, &count, &error), &error);
  line_t *lines = calloc(count + 1, sizeof *lines);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *object;
    check(flx_results_get_object(results, i, &object, &error), &error);
    lines[i] = object_line(device, &info, object);
    flx_object_release(object);
  }
  qsort(lines, count, sizeof *lines, by_text);
  printf("%s: %zu %s\n", device->name, count, required(step, "class"));
  for (size_t i = 0; i < count; i++) {
    printf("%s:   %s\n", device->name, lines[i].data);
    free(lines[i].data);
  }
  free(lines);
  flx_results_release(results);
}

void do_backlinks(device_t *device, const json_t *step) {
  flx_error_t error;
  size_t count;
  const char *id = required(step, "id"), *property_name = required(step, "property");
  flx_object_t *object = find_object(device, required(step, "class"), id);
  if (!object) die("there is no %s %s", required(step, "class"), id);
  flx_property_info_t property = property_named(device, required(step, "from"), property_name);
  flx_results_t *results;
  check(flx_object_get_backlinks(object, class_named(device, required(step, "from")).key, property.key, &results, &error), &error);
  check(flx_results_count(results, &count, &error), &error);
  printf("%s: %zu %s link to %s by %s:", device->name, count, required(step, "from"), id, property_name);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *origin;
    check(flx_results_get_object(results, i, &origin, &error), &error);
    flx_value_t value = {.type = FLX_TYPE_LINK, .link = flx_object_link(origin)};
    printf(" ");
    print_value(stdout, device, &value);
    flx_object_release(origin);
  }
  printf("\n");
  flx_results_release(results);
  flx_object_release(object);
}

void do_await(device_t *device, const json_t *step) {
  flx_error_t error;
  size_t wanted = (size_t)json_integer_value(json_object_get(step, "count")), count = 0;
  flx_results_t *results = results_of(device, step, &error);
  if (!results) die("%s", error.message);
  for (int waited = 0; waited < WAIT_MS; waited += 50) {
    bool changed;
    check(flx_realm_refresh(device->realm, NULL, &error), &error);
    check(flx_results_count(results, &count, &error), &error);
    if (count == wanted) break;
    check(flx_realm_wait_for_change(device->realm, 50, &changed, &error), &error);
  }
  if (count != wanted) printf("%s: gave up with %zu\n", device->name, count);
  else printf("%s: %zu %s where %s\n", device->name, count, required(step, "class"),
              member(step, "query") ? member(step, "query") : "TRUEPREDICATE");
  flx_results_release(results);
}
