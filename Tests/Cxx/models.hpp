// SPDX-License-Identifier: Apache-2.0
/// @file The classes of the tests, in a namespace of their own.
#ifndef TEST_MODELS_HPP
#define TEST_MODELS_HPP

#include <flexsync.hpp>

namespace zoo {

enum class mood { calm, wild = 7 };

struct Animal;
struct Keeper {
  flexsync::primary_key<int64_t> _id;
  std::string name;
  Animal *favourite = nullptr;
  std::vector<Animal *> animals;
  std::map<std::string, Animal *> roles;
  std::set<Animal *> seen;
};
FLEXSYNC_SCHEMA(Keeper, _id, name, favourite, animals, roles, seen)

struct Tag {
  std::string text;
  std::optional<int64_t> weight;
};
FLEXSYNC_EMBEDDED_SCHEMA(Tag, text, weight)

struct Animal {
  flexsync::primary_key<flexsync::object_id> _id = flexsync::object_id::generate();
  flexsync::indexed<std::string> name;
  int64_t age = 0;
  std::optional<double> weight;
  bool is_hungry = false;
  mood current_mood = mood::calm;
  Tag *tag = nullptr;
  std::vector<Tag *> tags;
  flexsync::linking_objects<&Keeper::favourite> fans;
  std::string class_;
};
FLEXSYNC_PROPERTY_NAME(Animal, class_, "class")
FLEXSYNC_SCHEMA(Animal, _id, name, age, weight, is_hungry, current_mood, tag, tags, fans, class_)

/// Properties that are named like words of the query language, or as no word is.
struct Vocabulary {
  flexsync::primary_key<int64_t> _id;
  int64_t any = 0;
  int64_t in = 0;
  int64_t contains = 0;
  int64_t limit = 0;
  int64_t null = 0;
  int64_t O12 = 0;
  int64_t odd = 0;
  std::vector<Vocabulary *> all;
};
FLEXSYNC_PROPERTY_NAME(Vocabulary, odd, "it's odd")
FLEXSYNC_SCHEMA(Vocabulary, _id, any, in, contains, limit, null, O12, odd, all)

/// A value of each type.
struct Everything {
  flexsync::primary_key<flexsync::uuid> _id = flexsync::uuid::generate();
  bool flag = false;
  int64_t number = 0;
  float small = 0;
  double real = 0;
  std::string text;
  flexsync::binary bytes;
  std::chrono::system_clock::time_point date;
  flexsync::timestamp old;
  flexsync::decimal128 decimal;
  flexsync::object_id id;
  flexsync::uuid uuid;
  flexsync::mixed any;
  std::optional<std::string> maybe_text;
  std::optional<mood> maybe_mood;
  std::optional<flexsync::binary> maybe_bytes;
  std::vector<int64_t> numbers;
  std::vector<std::optional<std::string>> texts;
  std::vector<flexsync::binary> blobs;
  std::vector<flexsync::mixed> anything;
  std::set<flexsync::uuid> uuids;
  std::map<std::string, flexsync::decimal128> prices;
};
FLEXSYNC_SCHEMA(Everything, _id, flag, number, small, real, text, bytes, date, old, decimal, id, uuid, any, maybe_text,
                maybe_mood, maybe_bytes, numbers, texts, blobs, anything, uuids, prices)

/// Properties that are named like what objects have anyway.
struct Bookmark {
  flexsync::primary_key<int64_t> _id;
  std::string link, members, observe, native_handle, other, name, kind, visitor;
  int64_t is_valid = 0, detach = 0, size = 0;
  Bookmark *next = nullptr;
};
FLEXSYNC_SCHEMA(Bookmark, _id, link, members, observe, native_handle, other, name, kind, visitor, is_valid, detach,
                size, next)

}  // namespace zoo

// The classes of the example app.

struct Task {
  flexsync::primary_key<flexsync::object_id> _id = flexsync::object_id::generate();
  std::string taskName;
  std::optional<std::string> assignee;
  bool completed = false;
  int64_t progressMinutes = 0;
  std::chrono::system_clock::time_point dueDate;
};
FLEXSYNC_SCHEMA(Task, _id, taskName, assignee, completed, progressMinutes, dueDate)

struct Team {
  flexsync::primary_key<flexsync::object_id> _id = flexsync::object_id::generate();
  std::string teamName;
  std::vector<Task *> tasks;
  std::vector<std::string> members;
};
FLEXSYNC_SCHEMA(Team, _id, teamName, tasks, members)

inline flexsync::db_config in_memory(const std::string &name) {
  return flexsync::db_config().set_in_memory_name(name).set_schema<zoo::Keeper, zoo::Everything, zoo::Bookmark,
                                                                                zoo::Vocabulary>();
}

inline zoo::Animal animal(const std::string &name, int64_t age) {
  zoo::Animal result;
  result.name = name;
  result.age = age;
  return result;
}

#endif
