/* SPDX-License-Identifier: Apache-2.0 */
/* Values of type mixed, with what is nested in them. */
#include "scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An open list or dictionary; the other is NULL. */
typedef struct {
  flx_list_t *list;
  flx_dictionary_t *dictionary;
} collection_t;

/* Where a value is put: a property if there is an object, an element if there is a list, an entry otherwise. */
typedef struct {
  flx_object_t *object;
  flx_property_key_t property;
  flx_list_t *list;
  size_t index;
  bool inserts;
  flx_dictionary_t *dictionary;
  const char *key;
} place_t;

static void release(collection_t collection) {
  flx_list_release(collection.list);
  flx_dictionary_release(collection.dictionary);
}

/* ---- places ---- */

static flx_status_t put_scalar(place_t place, const flx_value_t *value, flx_error_t *error) {
  if (place.object) return flx_object_set(place.object, place.property, value, error);
  if (!place.list) return flx_dictionary_set(place.dictionary, text(place.key), value, error);
  return place.inserts ? flx_list_insert(place.list, place.index, value, error)
                       : flx_list_set(place.list, place.index, value, error);
}

static flx_status_t put_list(place_t place, flx_error_t *error) {
  if (place.object) return flx_object_set_list(place.object, place.property, error);
  if (!place.list) return flx_dictionary_set_list(place.dictionary, text(place.key), error);
  return place.inserts ? flx_list_insert_list(place.list, place.index, error)
                       : flx_list_set_list(place.list, place.index, error);
}

static flx_status_t put_dictionary(place_t place, flx_error_t *error) {
  if (place.object) return flx_object_set_dictionary(place.object, place.property, error);
  if (!place.list) return flx_dictionary_set_dictionary(place.dictionary, text(place.key), error);
  return place.inserts ? flx_list_insert_dictionary(place.list, place.index, error)
                       : flx_list_set_dictionary(place.list, place.index, error);
}

static collection_t open_collection(place_t place, bool is_list) {
  flx_error_t error;
  collection_t result = {NULL, NULL};
  flx_status_t status;
  if (place.object)
    status = is_list ? flx_object_get_list(place.object, place.property, &result.list, &error)
                     : flx_object_get_dictionary(place.object, place.property, &result.dictionary, &error);
  else if (place.list)
    status = is_list ? flx_list_get_list(place.list, place.index, &result.list, &error)
                     : flx_list_get_dictionary(place.list, place.index, &result.dictionary, &error);
  else
    status = is_list ? flx_dictionary_get_list(place.dictionary, text(place.key), &result.list, &error)
                     : flx_dictionary_get_dictionary(place.dictionary, text(place.key), &result.dictionary, &error);
  check(status, &error);
  return result;
}

/* ---- writing ---- */

bool scalar_from(device_t *device, const json_t *json, flx_value_t *value) {
  const char *decimal = member(json, "$numberDecimal"), *target = member(json, "$ref"), *id = member(json, "$oid");
  const json_t *date = json_object_get(json, "$date");
  *value = (flx_value_t){.type = FLX_TYPE_NULL};
  if (decimal) {
    value->type = FLX_TYPE_DECIMAL;
    if (!flx_decimal_parse(text(decimal), &value->decimal)) die("'%s' is not a decimal", decimal);
  } else if (target) {
    flx_object_t *object = find_object(device, target, required(json, "$id"));
    if (!object) die("there is no %s to link to", target);
    value->type = FLX_TYPE_LINK;
    value->link = flx_object_link(object);
    flx_object_release(object);
  } else if (id) {
    value->type = FLX_TYPE_OBJECT_ID;
    if (!flx_object_id_parse(text(id), &value->object_id)) die("'%s' is no object id", id);
  } else if (date) {
    value->type = FLX_TYPE_TIMESTAMP;
    value->timestamp.seconds = json_integer_value(date);
  } else if (json_is_string(json)) {
    value->type = FLX_TYPE_STRING;
    value->string = text(json_string_value(json));
  } else if (json_is_integer(json)) {
    value->type = FLX_TYPE_INT;
    value->integer = json_integer_value(json);
  } else if (json_is_real(json)) {
    value->type = FLX_TYPE_DOUBLE;
    value->double_value = json_real_value(json);
  } else if (json_is_boolean(json)) {
    value->type = FLX_TYPE_BOOL;
    value->boolean = json_is_true(json);
  }
  return decimal || target || id || date || !(json_is_array(json) || json_is_object(json));
}

static flx_status_t put(device_t *device, place_t place, json_t *json, flx_error_t *error) {
  flx_value_t value;
  if (scalar_from(device, json, &value)) return put_scalar(place, &value, error);
  bool is_list = json_is_array(json);
  flx_status_t status = is_list ? put_list(place, error) : put_dictionary(place, error);
  if (status != FLX_STATUS_OK) return status;
  collection_t collection = open_collection(place, is_list);
  size_t index;
  const char *key;
  json_t *inner;
  if (is_list) {
    json_array_foreach(json, index, inner) {
      if (status != FLX_STATUS_OK) break;
      status = put(device, (place_t){.list = collection.list, .index = index, .inserts = true}, inner, error);
    }
  } else {
    json_object_foreach(json, key, inner) {
      if (status != FLX_STATUS_OK) break;
      status = put(device, (place_t){.dictionary = collection.dictionary, .key = key}, inner, error);
    }
  }
  release(collection);
  return status;
}

flx_status_t set_mixed(device_t *device, flx_object_t *object, flx_property_key_t property, json_t *json,
                       flx_error_t *error) {
  return put(device, (place_t){.object = object, .property = property}, json, error);
}

/* ---- changing ---- */

static collection_t open_property(flx_object_t *object, const flx_property_info_t *property) {
  flx_error_t error;
  bool is_list = property->collection == FLX_COLLECTION_LIST;
  if (property->collection == FLX_COLLECTION_NONE) {
    flx_value_t value;
    check(flx_object_get(object, property->key, &value, &error), &error);
    is_list = value.type == FLX_TYPE_LIST;
  }
  return open_collection((place_t){.object = object, .property = property->key}, is_list);
}

/* The collection that an element or entry holds. The outer one is given back. */
static collection_t step_into(collection_t outer, const json_t *step) {
  flx_error_t error;
  flx_value_t value;
  place_t place = {.list = outer.list, .dictionary = outer.dictionary};
  if (outer.list) {
    place.index = (size_t)json_integer_value(step);
    check(flx_list_get(outer.list, place.index, &value, &error), &error);
  } else {
    place.key = json_string_value(step);
    check(flx_dictionary_get(outer.dictionary, text(place.key), &value, NULL, &error), &error);
  }
  collection_t inner = open_collection(place, value.type == FLX_TYPE_LIST);
  release(outer);
  return inner;
}

static flx_status_t edit(device_t *device, collection_t collection, const char *operation, const json_t *change,
                         flx_error_t *error) {
  size_t index = (size_t)json_integer_value(json_object_get(change, "index"));
  json_t *value = json_object_get(change, "value");
  place_t place = {.list = collection.list, .index = index, .dictionary = collection.dictionary};
  if (!strcmp(operation, "put") || !strcmp(operation, "drop")) place.key = required(change, "key");
  place.inserts = !strcmp(operation, "insert");
  if (!strcmp(operation, "insert") || !strcmp(operation, "replace") || !strcmp(operation, "put"))
    return put(device, place, value, error);
  if (!strcmp(operation, "drop")) return flx_dictionary_erase(collection.dictionary, text(place.key), NULL, error);
  if (!strcmp(operation, "erase")) return flx_list_erase(collection.list, index, error);
  if (!strcmp(operation, "move"))
    return flx_list_move(collection.list, index, (size_t)json_integer_value(json_object_get(change, "to")), error);
  return collection.list ? flx_list_clear(collection.list, error) : flx_dictionary_clear(collection.dictionary, error);
}

flx_status_t edit_mixed(device_t *device, flx_object_t *object, const flx_property_info_t *property,
                        const char *operation, const json_t *change, flx_error_t *error) {
  collection_t collection = open_property(object, property);
  size_t index;
  json_t *step;
  json_array_foreach(json_object_get(change, "path"), index, step) collection = step_into(collection, step);
  flx_status_t status = edit(device, collection, operation, change, error);
  release(collection);
  return status;
}

/* ---- printing ---- */

static void print_collection(FILE *out, device_t *device, collection_t collection);

static void print_place(FILE *out, device_t *device, place_t place, const flx_value_t *value) {
  if (value->type == FLX_TYPE_LIST || value->type == FLX_TYPE_DICTIONARY)
    print_collection(out, device, open_collection(place, value->type == FLX_TYPE_LIST));
  else if (value->type == FLX_TYPE_STRING)
    fprintf(out, "\"%.*s\"", (int)value->string.size, value->string.data);
  else
    print_value(out, device, value);
}

/* Gives the collection back. */
static void print_collection(FILE *out, device_t *device, collection_t collection) {
  flx_error_t error;
  flx_value_t value;
  size_t count;
  if (collection.list) check(flx_list_count(collection.list, &count, &error), &error);
  else check(flx_dictionary_count(collection.dictionary, &count, &error), &error);
  fprintf(out, collection.list ? "[" : "{");
  for (size_t i = 0; i < count; i++) {
    char key[64];
    flx_string_t name;
    place_t place = {.list = collection.list, .index = i, .dictionary = collection.dictionary, .key = key};
    if (i) fprintf(out, ", ");
    if (collection.list) {
      check(flx_list_get(collection.list, i, &value, &error), &error);
    } else {
      check(flx_dictionary_get_at(collection.dictionary, i, &name, &value, &error), &error);
      snprintf(key, sizeof key, "%.*s", (int)name.size, name.data);
      fprintf(out, "%s: ", key);
    }
    print_place(out, device, place, &value);
  }
  fprintf(out, collection.list ? "]" : "}");
  release(collection);
}

void print_mixed(FILE *out, device_t *device, flx_object_t *object, const flx_property_info_t *property) {
  flx_error_t error;
  flx_value_t value;
  if (property->collection != FLX_COLLECTION_NONE) return print_collection(out, device, open_property(object, property));
  check(flx_object_get(object, property->key, &value, &error), &error);
  print_place(out, device, (place_t){.object = object, .property = property->key}, &value);
}
