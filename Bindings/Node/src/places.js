// SPDX-License-Identifier: Apache-2.0
/** @file Where values are stored: properties, elements and entries. Nothing here is API. */
import { raw } from "./library.js";
import { nestedKind, toNative } from "./values.js";
import { Type } from "./enumerations.js";

/** A property of an object. */
export class PropertyPlace {
  constructor(object, info) {
    this.object = object;
    this.key = info.key;
  }

  set(value) { raw.flx_object_set(this.object, this.key, value); }
  makeEmbedded() { return raw.flx_object_set_embedded(this.object, this.key); }
  makeList() { raw.flx_object_set_list(this.object, this.key); }
  makeDictionary() { raw.flx_object_set_dictionary(this.object, this.key); }
  list() { return raw.flx_object_get_list(this.object, this.key); }
  dictionary() { return raw.flx_object_get_dictionary(this.object, this.key); }
}

/** An element of a list. */
export class ElementPlace {
  constructor(list, index) {
    this.handle = list;
    this.index = index;
  }

  set(value) { raw.flx_list_set(this.handle, this.index, value); }
  makeEmbedded() { return raw.flx_list_set_embedded(this.handle, this.index); }
  makeList() { raw.flx_list_set_list(this.handle, this.index); }
  makeDictionary() { raw.flx_list_set_dictionary(this.handle, this.index); }
  list() { return raw.flx_list_get_list(this.handle, this.index); }
  dictionary() { return raw.flx_list_get_dictionary(this.handle, this.index); }
}

/** A new element of a list, before the one at an index. */
export class InsertionPlace extends ElementPlace {
  set(value) { raw.flx_list_insert(this.handle, this.index, value); }
  makeEmbedded() { return raw.flx_list_insert_embedded(this.handle, this.index); }
  makeList() { raw.flx_list_insert_list(this.handle, this.index); }
  makeDictionary() { raw.flx_list_insert_dictionary(this.handle, this.index); }
}

/** An entry of a dictionary. */
export class EntryPlace {
  constructor(dictionary, key) {
    this.handle = dictionary;
    this.key = key;
  }

  set(value) { raw.flx_dictionary_set(this.handle, this.key, value); }
  makeEmbedded() { return raw.flx_dictionary_set_embedded(this.handle, this.key); }
  makeList() { raw.flx_dictionary_set_list(this.handle, this.key); }
  makeDictionary() { raw.flx_dictionary_set_dictionary(this.handle, this.key); }
  list() { return raw.flx_dictionary_get_list(this.handle, this.key); }
  dictionary() { return raw.flx_dictionary_get_dictionary(this.handle, this.key); }
}

/** Stores a value: also embedded objects, objects that are not in the realm yet, and collections in mixed values. */
export function store(place, value, info, realm, mode) {
  const nested = info.type === Type.MIXED ? nestedKind(value) : undefined;
  if (nested === "list") {
    storeList(place, value, info, realm, mode);
  } else if (nested === "dictionary") {
    storeDictionary(place, value, info, realm, mode);
  } else if (info.type === Type.LINK && value !== null && value !== undefined) {
    storeObject(place, value, info, realm, mode);
  } else {
    place.set(toNative(value, info));
  }
}

function storeList(place, value, info, realm, mode) {
  const elements = [...value];
  place.makeList();
  const list = place.list();
  elements.forEach((element, index) => store(new InsertionPlace(list, index), element, info, realm, mode));
}

function storeDictionary(place, value, info, realm, mode) {
  const entries = Object.entries(value);
  place.makeDictionary();
  const dictionary = place.dictionary();
  for (const [key, element] of entries) store(new EntryPlace(dictionary, key), element, info, realm, mode);
}

function storeObject(place, value, info, realm, mode) {
  const target = realm._class(info.link_target);
  if (target.isEmbedded) {
    realm._requireValues(target, value);
    const values = realm._valuesOf(value);
    realm._fill(place.makeEmbedded(), target, values, mode);
  } else {
    place.set(toNative(realm._managed(value) ?? realm.create(info.link_target, value, mode), info));
  }
}
