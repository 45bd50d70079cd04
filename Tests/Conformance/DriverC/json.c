/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as JSON, with everything that is in them. See "objects" in ../README.md. */
#include "scenario.h"

#include <stdlib.h>

static json_t *list_json(device_t *device, flx_list_t *list);
static json_t *dictionary_json(device_t *device, flx_dictionary_t *dictionary);
static json_t *object_json(device_t *device, const flx_class_info_t *info, flx_object_t *object);

static json_t *link_json(device_t *device, flx_link_t link) {
  flx_error_t error;
  flx_object_t *target;
  flx_value_t key;
  flx_property_info_t id;
  char hex[25];
  check(flx_object_get_linked(device->realm, link, &target, &error), &error);
  flx_class_info_t info = class_with_key(device, link.target_class);
  if (info.kind == FLX_CLASS_EMBEDDED) {
    json_t *embedded = object_json(device, &info, target);
    flx_object_release(target);
    return embedded;
  }
  check(flx_realm_find_property(device->realm, link.target_class, text("_id"), &id, &error), &error);
  check(flx_object_get(target, id.key, &key, &error), &error);
  flx_object_id_format(&key.object_id, hex);
  flx_object_release(target);
  return json_string(hex);
}

static json_t *scalar_json(device_t *device, const flx_value_t *value) {
  char digits[FLX_DECIMAL_TEXT_SIZE], hex[25];
  switch (value->type) {
    case FLX_TYPE_NULL: return json_null();
    case FLX_TYPE_STRING: return value->string.size ? json_stringn(value->string.data, value->string.size) : json_string("");
    case FLX_TYPE_INT: return json_integer(value->integer);
    case FLX_TYPE_BOOL: return json_boolean(value->boolean);
    case FLX_TYPE_DOUBLE: return json_real(value->double_value);
    case FLX_TYPE_TIMESTAMP:
      return json_integer(value->timestamp.seconds * 1000 + value->timestamp.nanoseconds / 1000000);
    case FLX_TYPE_DECIMAL:
      flx_decimal_format(value->decimal, digits);
      return json_pack("{s: s}", "$numberDecimal", digits);
    case FLX_TYPE_OBJECT_ID:
      flx_object_id_format(&value->object_id, hex);
      return json_string(hex);
    case FLX_TYPE_LINK: return link_json(device, value->link);
    default: die("a value of type %d cannot be written as JSON", (int)value->type); return NULL;
  }
}

/* Gives the list back. */
static json_t *list_json(device_t *device, flx_list_t *list) {
  flx_error_t error;
  size_t count;
  json_t *elements = json_array();
  check(flx_list_count(list, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_value_t value;
    flx_list_t *inner_list;
    flx_dictionary_t *inner_dictionary;
    check(flx_list_get(list, i, &value, &error), &error);
    if (value.type == FLX_TYPE_LIST) {
      check(flx_list_get_list(list, i, &inner_list, &error), &error);
      json_array_append_new(elements, list_json(device, inner_list));
    } else if (value.type == FLX_TYPE_DICTIONARY) {
      check(flx_list_get_dictionary(list, i, &inner_dictionary, &error), &error);
      json_array_append_new(elements, dictionary_json(device, inner_dictionary));
    } else {
      json_array_append_new(elements, scalar_json(device, &value));
    }
  }
  flx_list_release(list);
  return elements;
}

/* Gives the dictionary back. */
static json_t *dictionary_json(device_t *device, flx_dictionary_t *dictionary) {
  flx_error_t error;
  size_t count;
  json_t *entries = json_object();
  check(flx_dictionary_count(dictionary, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    char key[64];
    flx_string_t name;
    flx_value_t value;
    flx_list_t *inner_list;
    flx_dictionary_t *inner_dictionary;
    check(flx_dictionary_get_at(dictionary, i, &name, &value, &error), &error);
    snprintf(key, sizeof key, "%.*s", (int)name.size, name.data);
    if (value.type == FLX_TYPE_LIST) {
      check(flx_dictionary_get_list(dictionary, text(key), &inner_list, &error), &error);
      json_object_set_new(entries, key, list_json(device, inner_list));
    } else if (value.type == FLX_TYPE_DICTIONARY) {
      check(flx_dictionary_get_dictionary(dictionary, text(key), &inner_dictionary, &error), &error);
      json_object_set_new(entries, key, dictionary_json(device, inner_dictionary));
    } else {
      json_object_set_new(entries, key, scalar_json(device, &value));
    }
  }
  flx_dictionary_release(dictionary);
  return entries;
}

/* Gives the set back. */
static json_t *set_json(device_t *device, flx_set_t *set) {
  flx_error_t error;
  size_t count;
  json_t *elements = json_array();
  check(flx_set_count(set, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_value_t value;
    check(flx_set_get(set, i, &value, &error), &error);
    json_array_append_new(elements, scalar_json(device, &value));
  }
  flx_set_release(set);
  return elements;
}

static json_t *property_json(device_t *device, flx_object_t *object, const flx_property_info_t *property) {
  flx_error_t error;
  flx_value_t value = {.type = FLX_TYPE_NULL};
  flx_list_t *list;
  flx_set_t *set;
  flx_dictionary_t *dictionary;
  if (property->collection == FLX_COLLECTION_NONE) check(flx_object_get(object, property->key, &value, &error), &error);
  if (property->collection == FLX_COLLECTION_LIST || value.type == FLX_TYPE_LIST) {
    check(flx_object_get_list(object, property->key, &list, &error), &error);
    return list_json(device, list);
  }
  if (property->collection == FLX_COLLECTION_DICTIONARY || value.type == FLX_TYPE_DICTIONARY) {
    check(flx_object_get_dictionary(object, property->key, &dictionary, &error), &error);
    return dictionary_json(device, dictionary);
  }
  if (property->collection == FLX_COLLECTION_SET) {
    check(flx_object_get_set(object, property->key, &set, &error), &error);
    return set_json(device, set);
  }
  return scalar_json(device, &value);
}

static json_t *object_json(device_t *device, const flx_class_info_t *info, flx_object_t *object) {
  json_t *values = json_object();
  for (size_t i = 0; i < info->property_count; i++) {
    const flx_property_info_t *property = &info->properties[i];
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)property->name.size, property->name.data);
    json_object_set_new(values, name, property_json(device, object, property));
  }
  return values;
}

void do_objects(device_t *device, const json_t *step) {
  flx_error_t error;
  size_t count;
  flx_class_info_t info = class_named(device, required(step, "class"));
  flx_results_t *results = results_of(device, step, &error);
  if (!results) die("%s", error.message);
  json_t *objects = json_array();
  check(flx_results_count(results, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *object;
    check(flx_results_get_object(results, i, &object, &error), &error);
    json_array_append_new(objects, object_json(device, &info, object));
    flx_object_release(object);
  }
  flx_results_release(results);
  char *line = json_dumps(objects, JSON_COMPACT);
  printf("%s: %s\n", device->name, line);
  free(line);
  json_decref(objects);
}
