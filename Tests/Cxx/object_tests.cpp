// SPDX-License-Identifier: Apache-2.0
// Objects, accessors and collections.
#include "models.hpp"
#include "testing.hpp"

using namespace flexsync;
using namespace zoo;

TEST(every_type_is_read_as_it_was_written) {
  db realm(in_memory("every_type"));
  Everything plain;
  plain.flag = true;
  plain.number = INT64_MIN;
  plain.small = 0.1f;
  plain.real = -1e300;
  plain.text = std::string("nul \0 inside", 12);
  plain.bytes = {0, 1, 255};
  plain.date = std::chrono::system_clock::time_point(std::chrono::milliseconds(-1500));
  plain.old = timestamp(-100000000000000, -5);
  plain.decimal = decimal128("123456789012345678901234567890.1234");
  plain.id = object_id::generate();
  plain.uuid = flexsync::uuid("18de7916-7f84-11ec-a8a3-0242ac120002");
  plain.any = mixed::dictionary{{"list", mixed::list{1, 2.5, "text", nullptr, plain.id}}, {"flag", true}};
  plain.maybe_text = "there";
  plain.maybe_mood = mood::wild;
  plain.maybe_bytes = binary{7};
  plain.numbers = {3, 1, 2};
  plain.texts = {"a", std::nullopt, ""};
  plain.blobs = {{1, 2}, {}};
  plain.anything = {mixed::list{mixed::list{}}, 5};
  plain.uuids = {plain.uuid, flexsync::uuid()};
  plain.prices = {{"a", decimal128("1.50")}, {"b", 2}};
  auto object = realm.write([&] { return realm.add(plain); });

  CHECK(object.flag == true);
  CHECK(object.number == INT64_MIN);
  CHECK(object.small == 0.1f);
  CHECK(object.real == -1e300);
  CHECK(object.text == plain.text);
  CHECK(object.bytes == plain.bytes);
  CHECK(object.date == plain.date);
  CHECK(object.old == plain.old);
  CHECK(object.decimal == plain.decimal);
  CHECK(object.id == plain.id);
  CHECK(object.uuid == plain.uuid);
  CHECK(object.any == plain.any);
  CHECK(object.maybe_text == "there");
  CHECK(object.maybe_mood == mood::wild);
  CHECK(object.maybe_bytes == plain.maybe_bytes);
  CHECK(object.numbers.detach() == plain.numbers);
  CHECK(object.texts.detach() == plain.texts);
  CHECK(object.blobs.detach() == plain.blobs);
  CHECK(object.anything.detach() == plain.anything);
  CHECK(object.uuids.contains(plain.uuid));
  CHECK(object.prices.detach() == plain.prices);

  Everything copy = object.detach();
  CHECK(copy._id.value == plain._id.value && copy.texts == plain.texts && copy.uuids == plain.uuids);
  CHECK(copy.any == plain.any && copy.prices == plain.prices);
}

TEST(accessors_behave_like_values) {
  db realm(in_memory("accessors"));
  auto rex = realm.write([&] { return realm.add(animal("Rex", 3)); });
  realm.write([&] {
    rex.age += 4;
    rex.age++;
    --rex.age;
    rex.weight = 2.5;
    rex.weight += 0.5;
    rex.name = rex.name.detach() + "!";
    rex.current_mood = mood::wild;
    rex.class_ = "mammal";
  });
  CHECK(rex.age == 7 && 7 == rex.age && rex.age < 8 && rex.age != 6);
  CHECK(rex.weight == 3.0);
  CHECK(rex.current_mood == mood::wild);
  std::string name = rex.name;
  CHECK(name == "Rex!");
  CHECK(realm.objects<Animal>().where("class == 'mammal'").size() == 1);
  realm.write([&] { rex.weight = std::nullopt; });
  CHECK(rex.weight == std::nullopt);
  CHECK(thrown([&] { rex.age = 1; }) == status::not_in_write_transaction);
}

TEST(accessors_keep_their_object_when_it_is_assigned_or_gone) {
  db realm(in_memory("kept"));
  realm.write([&] { realm.insert(std::vector<Animal>{animal("first", 1), animal("second", 2)}); });
  auto all = realm.objects<Animal>().sort("name");
  auto object = all[0];
  auto name = object.name;
  object = all[1];
  CHECK(name == "first" && object.name == "second" && object.age == 2);
  std::vector<managed<Animal>> kept;
  for (auto one : all) kept.push_back(one);
  kept.erase(kept.begin());
  CHECK(kept[0].name == "second");
  realm.write([&] { realm.remove(kept[0]); });
  CHECK(!kept[0].is_valid());
  CHECK(thrown([&] { kept[0].name.detach(); }) == status::object_invalidated);
}

TEST(links_lead_to_objects) {
  db realm(in_memory("links"));
  Animal rex = animal("Rex", 3), ida = animal("Ida", 9);
  Keeper ada;
  ada._id = 1;
  ada.favourite = &rex;
  ada.animals = {&rex, &ida, &rex};
  ada.roles = {{"guard", &rex}, {"none", nullptr}};
  ada.seen = {&ida};
  auto keeper = realm.write([&] { return realm.add(ada); });
  CHECK(realm.objects<Animal>().size() == 2);
  CHECK(keeper.favourite && keeper.favourite->name == "Rex");
  CHECK(keeper.animals.size() == 3 && keeper.animals[2] == *keeper.favourite);
  CHECK((*keeper.roles["guard"])->name == "Rex" && !keeper.roles.at("none"));
  CHECK(keeper.seen[0].name == "Ida");
  CHECK(keeper.favourite->fans.size() == 1 && keeper.favourite->fans[0].name == "");
  CHECK(keeper.favourite->linking<&Keeper::animals>().size() == 2);
  CHECK(keeper.animals.objects().where([](auto &animal) { return animal.age > 5; }).size() == 1);
  auto link = keeper.favourite;
  realm.write([&] {
    keeper.favourite = keeper.seen[0];
    keeper.animals.move(1, 0);
    keeper.seen.insert(*keeper.roles.at("guard"));
  });
  CHECK(link->name == "Ida" && keeper.animals[0].name == "Ida" && keeper.seen.size() == 2);
  CHECK(link.state().first == link_state::resolved);
  realm.write([&] { link = nullptr; });
  CHECK(keeper.favourite == nullptr);
  CHECK(thrown([&] { *keeper.favourite; }) == status::object_invalidated);
}

TEST(objects_that_link_to_each_other_are_added_once) {
  db realm(in_memory("cycle"));
  Keeper ada, bob;
  Animal rex = animal("Rex", 1);
  ada._id = 1;
  bob._id = 2;
  ada.favourite = &rex;
  bob.favourite = &rex;
  realm.write([&] { realm.insert(std::vector<Keeper>{ada, bob}); });
  CHECK(realm.objects<Animal>().size() == 1);
  CHECK(realm.objects<Animal>()[0].fans.size() == 2);
  int64_t keys = 0;
  for (auto fan : realm.objects<Animal>()[0].fans) keys += fan._id;
  CHECK(keys == 3);
}

TEST(properties_may_have_any_name) {
  db realm(in_memory("names"));
  Bookmark plain, second;
  plain.link = "https://example.com";
  second._id = 2;
  auto bookmark = realm.write([&] {
    auto bookmark = realm.add(plain);
    bookmark.next = realm.add(second);
    bookmark.members = "all";
    bookmark.is_valid += 1;
    return bookmark;
  });
  auto next = *bookmark.next;
  auto all = realm.objects<Bookmark>();
  CHECK(bookmark.link == "https://example.com" && bookmark.is_valid == 1 && next._id == 2);
  CHECK(all.where([&](auto &o) { return o.next == next && o.members == "all"; }).size() == 1);
  CHECK(all.index_of(next) == 1 && realm.resolve(thread_safe_reference<Bookmark>(next)));
  next = bookmark;
  CHECK(next.other == "" && next.members == "all" && freeze(next).link == plain.link);
  realm.write([&] { realm.remove(next); });
  CHECK(all.size() == 1);
}

TEST(an_object_with_a_taken_key_is_refused_or_updated) {
  db realm(in_memory("policy"));
  Animal rex = animal("Rex", 1);
  Tag tag{"x", 3};
  rex.tags = {&tag};
  realm.write([&] { realm.add(rex); });
  CHECK(thrown([&] { realm.write([&] { realm.add(rex); }); }) == status::duplicate_primary_key);
  CHECK(!realm.is_in_write());
  rex.age = 5;
  auto updated = realm.write([&] { return realm.add(rex, update_policy::all); });
  CHECK(updated.age == 5 && updated.tags.size() == 1 && realm.objects<Animal>().size() == 1);
}

TEST(embedded_objects_live_in_their_place) {
  db realm(in_memory("embedded"));
  auto rex = realm.write([&] { return realm.add(animal("Rex", 1)); });
  CHECK(rex.tag == nullptr);
  realm.write([&] {
    rex.tag = Tag{"first", 1};
    rex.tags.push_back(Tag{"a", {}});
    rex.tags.insert(0, Tag{"b", 2});
    rex.tag->text = "changed";
  });
  CHECK(rex.tag->text == "changed" && rex.tag->weight == 1);
  CHECK(rex.tags[0].text == "b" && rex.tags[1].weight == std::nullopt);
  auto old = *rex.tag;
  realm.write([&] { rex.tag = Tag{"second", {}}; });
  CHECK(!old.is_valid() && rex.tag->text == "second");
}

TEST(lists_sets_and_dictionaries_are_edited_in_place) {
  db realm(in_memory("collections"));
  auto object = realm.write([&] { return realm.add(Everything()); });
  realm.write([&] {
    object.numbers = std::vector<int64_t>{1, 2, 3};
    object.numbers.set(0, 10);
    object.numbers.pop_back();
    object.texts.push_back("x");
    object.texts.push_back(std::nullopt);
    object.uuids.insert(flexsync::uuid());
    object.prices["apple"] = decimal128("0.50");
    object.prices.insert_or_assign("pear", 3);
    object.anything.push_back(mixed::list{1});
    object.anything.list(0).push_back("nested");
    object.any = mixed::dictionary{};
    object.any.dictionary()["key"] = mixed::list{2};
    object.any.dictionary().list("key").push_back(nullptr);
  });
  CHECK((object.numbers.detach() == std::vector<int64_t>{10, 2}));
  CHECK(object.numbers.find(2) == 1 && object.numbers.find(5) == npos);
  CHECK(object.texts[1] == std::nullopt);
  CHECK(object.prices["apple"] == decimal128("0.5"));
  CHECK((object.prices.keys() == std::vector<std::string>{"apple", "pear"}));
  CHECK(object.prices.find("fig") == std::nullopt);
  CHECK(thrown([&] { object.prices.at("fig"); }) == status::index_out_of_bounds);
  CHECK(thrown([&] { object.numbers[2]; }) == status::index_out_of_bounds);
  CHECK(object.anything[0] == (mixed::list{1, "nested"}));
  CHECK(object.any == (mixed::dictionary{{"key", mixed::list{2, nullptr}}}));
  realm.write([&] {
    CHECK(object.uuids.erase(flexsync::uuid()) && !object.uuids.erase(flexsync::uuid()));
    CHECK(object.prices.erase("apple") && !object.prices.erase("apple"));
    CHECK(thrown([&] { object.prices["a.b"] = 1; }) == status::invalid_argument);
  });
  auto other = realm.write([&] {
    auto other = realm.add(Everything());
    other.numbers = object.numbers;
    other.prices = object.prices;
    other.text = object.text;
    return other;
  });
  CHECK(other.numbers.size() == 2 && other.prices["pear"] == decimal128(3));
}

TEST(values_convert_and_compare) {
  CHECK(object_id(object_id::generate().to_string()).to_string().size() == 24);
  CHECK(thrown([] { object_id("short"); }) == status::invalid_argument);
  CHECK(thrown([] { flexsync::uuid("18de7916-7f84-11ec-a8a3-0242ac12000"); }) == status::invalid_argument);
  CHECK(thrown([] { flexsync::uuid("18de7916x7f84-11ec-a8a3-0242ac120002"); }) == status::invalid_argument);
  CHECK(thrown([] { decimal128("one"); }) == status::invalid_argument);
  CHECK(flexsync::uuid::generate() != flexsync::uuid::generate());
  CHECK(decimal128("1.0") == decimal128(1) && decimal128("0.1") + decimal128("0.2") == decimal128("0.3"));
  CHECK(decimal128(0.1).to_string().size() > 2 && decimal128("nan") == decimal128("nan"));
  CHECK(timestamp(-1, -500000000).to_string() == "-1.500000000" && timestamp(0, -1).to_string() == "-0.000000001");
  std::chrono::system_clock::time_point end = timestamp(INT64_MAX, 0);
  CHECK(end == std::chrono::system_clock::time_point::max());
  CHECK(mixed("a") == mixed(std::string("a")) && mixed(1) != mixed(1.0) && mixed(std::optional<int>()) == nullptr);
  CHECK(thrown([] { mixed(1).get<bool>(); }) == status::type_mismatch);
}
