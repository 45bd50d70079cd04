// SPDX-License-Identifier: Apache-2.0
// Queries by operators and by text, sorting, aggregates.
#include "models.hpp"
#include "testing.hpp"

using namespace flexsync;
using namespace zoo;

namespace {

/// Three animals and a keeper of two of them.
db zoo_realm(const std::string &name) {
  db realm(in_memory(name));
  Animal rex = animal("Rex", 3), ida = animal("Ida", 9), max = animal("Max", 6);
  rex.weight = 2.5;
  rex.is_hungry = true;
  ida.current_mood = mood::wild;
  Tag tag{"old", 5};
  ida.tag = &tag;
  ida.tags = {&tag};
  Keeper ada;
  ada._id = 1;
  ada.name = "Ada";
  ada.favourite = &rex;
  ada.animals = {&rex, &ida};
  ada.roles = {{"it's", &ida}};
  realm.write([&] {
    realm.add(ada);
    realm.add(max);
  });
  return realm;
}

template <typename Query>
std::string names(const db &realm, Query query) {
  std::string result;
  for (auto animal : realm.objects<Animal>().where(query).sort(&Animal::age)) result += animal.name.detach() + " ";
  return result;
}

}  // namespace

TEST(operators_make_conditions) {
  db realm = zoo_realm("operators");
  int64_t limit = 6;
  CHECK(names(realm, [](auto &o) { return o.age == 3; }) == "Rex ");
  CHECK(names(realm, [&](auto &o) { return o.age >= limit; }) == "Max Ida ");
  CHECK(names(realm, [](auto &o) { return o.age > 3 && o.age < 9; }) == "Max ");
  CHECK(names(realm, [](auto &o) { return o.name == "Rex" || o.name == "Ida"; }) == "Rex Ida ");
  CHECK(names(realm, [](auto &o) { return !(o.name == "Rex"); }) == "Max Ida ");
  CHECK(names(realm, [](auto &o) { return o.is_hungry; }) == "Rex ");
  CHECK(names(realm, [](auto &o) { return !o.is_hungry && o.age > 8; }) == "Ida ");
  CHECK(names(realm, [](auto &o) { return o.weight == std::nullopt; }) == "Max Ida ");
  CHECK(names(realm, [](auto &o) { return o.weight > 2; }) == "Rex ");
  CHECK(names(realm, [](auto &o) { return o.current_mood == mood::wild; }) == "Ida ");
  CHECK(names(realm, [](auto &o) { return o.name.begins_with("r", true) || o.name.ends_with("a"); }) == "Rex Ida ");
  CHECK(names(realm, [](auto &o) { return o.name.contains("a") && o.name.like("*x"); }) == "Max ");
  CHECK(names(realm, [](auto &o) { return o.age.in({3, 6}); }) == "Rex Max ");
  CHECK(names(realm, [](auto &o) { return o.age.between(4, 9); }) == "Max Ida ");
  CHECK(names(realm, [](auto &o) { return o.tag->weight > 4; }) == "Ida ");
  CHECK(names(realm, [](auto &o) { return o.tag == nullptr; }) == "Rex Max ");
  CHECK(names(realm, [](auto &o) { return o.tags.size() == 1; }) == "Ida ");
  CHECK(names(realm, [](auto &o) { return o.class_ == ""; }) == "Rex Max Ida ");
}

TEST(conditions_reach_through_links_and_collections) {
  db realm = zoo_realm("through");
  auto rex = *realm.objects<Animal>().where("name == 'Rex'").first();
  auto count = [&](auto query) { return realm.objects<Keeper>().where(query).size(); };
  CHECK(count([](auto &o) { return o.favourite->name == "Rex"; }) == 1);
  CHECK(count([&](auto &o) { return o.favourite == rex; }) == 1);
  CHECK(count([&](auto &o) { return o.favourite != rex; }) == 0);
  CHECK(count([](auto &o) { return o.animals.any().age == 9; }) == 1);
  CHECK(count([](auto &o) { return o.animals.all().age > 5; }) == 0);
  CHECK(count([](auto &o) { return o.animals.none().age > 9; }) == 1);
  CHECK(count([&](auto &o) { return o.animals.contains(rex); }) == 1);
  CHECK(count([](auto &o) { return !o.animals.empty() && o.seen.empty(); }) == 1);
  CHECK(count([](auto &o) { return o.roles.contains_key("it's"); }) == 1);
}

TEST(the_keys_of_dictionaries_may_have_quotes) {
  db realm(in_memory("keys"));
  Everything object;
  const std::string keys[] = {"it's", "the \"best\"", "line\nbreak", "é"};
  for (const auto &key : keys) object.prices[key] = decimal128(int64_t(key.size()));
  realm.write([&] { realm.add(object); });
  auto objects = realm.objects<Everything>();
  auto count = [&](auto query) { return objects.where(query).size(); };
  for (const auto &key : keys) {
    decimal128 price(int64_t(key.size()));
    CHECK(count([&](auto &o) { return o.prices[key] == price; }) == 1);
    CHECK(count([&](auto &o) { return o.prices[key] >= price; }) == 1);
    CHECK(count([&](auto &o) { return o.prices[key] != price || o.prices.contains_key(key + "!"); }) == 0);
  }
  CHECK(thrown([&] { count([](auto &o) { return o.prices["it's \"best\""] > decimal128(1); }); }) ==
        status::query_argument);
  db zoo = zoo_realm("roles");
  CHECK(zoo.objects<Keeper>().where([](auto &o) { return o.roles["it's"]->name == "Ida"; }).size() == 1);
}

TEST(properties_may_be_named_like_words_of_the_query_language) {
  db realm(in_memory("vocabulary"));
  Vocabulary first, second;
  first.any = first.in = first.contains = first.limit = first.null = first.O12 = first.odd = 3;
  second._id = 2;
  second.all = {&first};
  realm.write([&] { realm.add(second); });
  auto objects = realm.objects<Vocabulary>();
  auto count = [&](auto query) { return objects.where(query).size(); };
  CHECK(count([](auto &o) { return o.any == 3 && o.in.in({3}) && o.contains == 3 && o.limit == o.null; }) == 1);
  CHECK(count([](auto &o) { return o.O12 == 3 && o.odd == 3; }) == 1);
  CHECK(count([](auto &o) { return o.all.any().any == 3 && o.all.all().odd == 3 && o.all.size() == 1; }) == 1);
  CHECK(objects.where("#any == 3 AND #\"it's odd\" == $0", {3}).size() == 1);
  CHECK(objects.sort(&Vocabulary::any, false)[0].any == 3);
}

TEST(texts_have_arguments) {
  db realm = zoo_realm("texts");
  auto all = realm.objects<Animal>();
  auto rex = *all.where("name == $0", {"Rex"}).first();
  CHECK(all.where("age IN $0 AND name != $1", {mixed::list{3, 9}, "Rex"}).size() == 1);
  CHECK(all.where("age IN $0 AND name != $1", {std::vector<int64_t>{3, 9}, "Rex"}).size() == 1);
  CHECK(all.where("age IN $0", {std::set<int>{3, 9}}).size() == 2);
  CHECK(all.where("age IN $0", {std::vector<mixed>{3, 9}}).size() == 2);
  CHECK(realm.dynamic_objects("Animal").where("age IN $0", {mixed::list{3, 9}}).size() == 2);
  CHECK(all.where("age > 0", {}).size() == 3 && all.where("age > $0", std::vector<mixed>{3}).size() == 2);
  CHECK(all.where("name IN $0", {std::vector<std::string>{"Rex", "Max"}}).size() == 2);
  CHECK(all.where("weight IN $0", {std::vector<std::optional<double>>{2.5, std::nullopt}}).size() == 3);
  CHECK(all.where("is_hungry IN $0", {std::vector<bool>{true}}).size() == 1);
  CHECK(realm.objects<Keeper>().where("favourite == $0", {rex}).size() == 1);
  CHECK(realm.objects<Keeper>().where("ANY animals IN $0", {std::vector<managed<Animal>>{rex}}).size() == 1);
  CHECK(thrown([&] { all.where("age =="); }) == status::query_syntax);
  CHECK(thrown([&] { all.where("nothing == 1"); }) == status::query_invalid);
  CHECK(thrown([&] { all.where("age == $1", {1}); }) == status::query_argument);
}

TEST(results_are_sorted_and_summed_up) {
  db realm = zoo_realm("sorted");
  auto all = realm.objects<Animal>();
  CHECK(all.sort("age", false)[0].name == "Ida");
  CHECK(all.sort({{"is_hungry", false}, {"name", true}})[0].name == "Rex");
  CHECK(all.sort(&Animal::name).limit(2).size() == 2);
  CHECK(all.distinct({"is_hungry"}).size() == 2);
  CHECK(all.sum(&Animal::age) == 18 && all.max(&Animal::age) == 9 && all.average(&Animal::age) == 6.0);
  CHECK(all.count(&Animal::weight) == 1 && all.where("age > 100").min(&Animal::age) == nullptr);
  CHECK(all.index_of(all[2]) == 2 && !all.explain().empty() && all.predicate() == "TRUEPREDICATE");
  realm.write([&] { all.where("age > 5").remove_all(); });
  CHECK(all.size() == 1 && all.first()->name == "Rex");
}

TEST(queries_are_checked_before_they_are_used) {
  db realm(in_memory("checked"));
  CHECK(thrown([] { parse_query("age >"); }) == status::query_syntax &&
        thrown([] { parse_query("a == 1"); }) == status::ok);
  CHECK(realm.validate_for_sync<Animal>("age>$0", {3}) == "age > 3");
  CHECK(thrown([&] { realm.validate_for_sync<Animal>("age > 3", {}, {{"name"}}); }) == status::query_invalid);
  CHECK(thrown([&] { realm.validate_for_sync<Animal>("tags.weight > 3 SORT(age ASC)"); }) == status::query_invalid);
}

TEST(columns_are_read_and_inserted_at_once) {
  db realm(db_config().set_in_memory_name("columns").set_schema<Task>());
  std::vector<Task> tasks(3000);
  for (size_t i = 0; i < tasks.size(); i++) {
    tasks[i].taskName = std::string(i % 90, 'x');
    if (i % 3) tasks[i].assignee = "someone";
    tasks[i].completed = i % 2;
    tasks[i].progressMinutes = static_cast<int64_t>(i);
    tasks[i].dueDate = std::chrono::system_clock::time_point(std::chrono::seconds(i));
  }
  tasks[1500].taskName = std::string(200000, 'y');
  realm.write([&] { realm.insert(tasks); });
  auto all = realm.objects<Task>().sort(&Task::progressMinutes);
  auto [ids, names, assignees, completed, dates] =
      all.columns(&Task::_id, &Task::taskName, &Task::assignee, &Task::completed, &Task::dueDate);
  bool is_same = names.size() == tasks.size();
  for (size_t i = 0; is_same && i < tasks.size(); i++)
    is_same = ids[i] == tasks[i]._id.value && names[i] == tasks[i].taskName && assignees[i] == tasks[i].assignee &&
              completed[i] == tasks[i].completed && dates[i] == tasks[i].dueDate;
  CHECK(is_same);
  CHECK(thrown([&] { realm.write([&] { realm.insert(tasks); }); }) == status::duplicate_primary_key);
  realm.write([&] { realm.insert(std::vector<Task>()); });
}
