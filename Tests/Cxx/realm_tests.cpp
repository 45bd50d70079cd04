// SPDX-License-Identifier: Apache-2.0
// Transactions, observers, lifetimes, threads, files, schemas.
#include <atomic>

#include "models.hpp"
#include "testing.hpp"

using namespace flexsync;
using namespace zoo;

namespace {

/// Tells whether a callback that holds a copy of it still exists.
struct tracked {
  std::shared_ptr<int> value = std::make_shared<int>(0);
  long copies() const { return value.use_count() - 1; }
};

}  // namespace

TEST(a_write_that_throws_is_undone) {
  db realm(in_memory("undone"));
  bool is_caught = false;
  try {
    realm.write([&] {
      realm.add(animal("Rex", 1));
      throw std::logic_error("no");
    });
  } catch (const std::logic_error &) {
    is_caught = true;
  }
  CHECK(is_caught && realm.objects<Animal>().empty() && !realm.is_in_write());
  realm.write([&] {
    realm.add(animal("Rex", 1));
    realm.cancel_write();
  });
  CHECK(realm.objects<Animal>().empty());
  realm.begin_write();
  CHECK(thrown([&] { realm.begin_write(); }) == status::in_write_transaction);
  realm.cancel_write();
  CHECK(thrown([&] { realm.cancel_write(); }) == status::not_in_write_transaction);
}

TEST(errors_say_what_happened) {
  try {
    db realm{db_config((folder / "missing" / "x.realm").string()).set_schema<Keeper>()};
    CHECK(false);
  } catch (const std::runtime_error &error) {
    auto &own = dynamic_cast<const flexsync::error &>(error);
    CHECK(own.status() == status::io && std::string(own.what()).size() > 10 && to_string(own.status()) == "IO");
  }
}

TEST(observers_get_indexes_and_end_with_their_token) {
  db realm(in_memory("observers"));
  tracked track;
  std::vector<collection_change> changes;
  auto results = realm.objects<Animal>().sort("age");
  auto token = results.observe([&changes, track](const collection_change &change) { changes.push_back(change); });
  CHECK(track.copies() == 1);
  realm.refresh();
  CHECK(changes.size() == 1 && changes[0].is_initial && changes[0].empty());
  auto rex = realm.write([&] {
    realm.add(animal("Ida", 9));
    return realm.add(animal("Rex", 3));
  });
  CHECK(changes.size() == 2 && (changes[1].insertions == std::vector<size_t>{0, 1}));
  realm.write([&] { rex.name = "Max"; });
  CHECK(changes.size() == 3 && (changes[2].modifications == std::vector<size_t>{0}));
  realm.write([&] { realm.remove(rex); }, {token});
  CHECK(changes.size() == 3);
  token.unregister();
  CHECK(track.copies() == 0 && !token);
  realm.write([&] { realm.add(animal("Zoe", 1)); });
  CHECK(changes.size() == 3);
}

TEST(observers_of_objects_and_collections_say_what_has_changed) {
  db realm(in_memory("observed"));
  Keeper ada;
  ada._id = 1;
  Animal rex = animal("Rex", 3);
  ada.animals = {&rex};
  auto keeper = realm.write([&] { return realm.add(ada); });
  auto dog = keeper.animals[0];
  object_change change;
  int list_calls = 0;
  dictionary_change entries;
  auto object_token = dog.observe([&](const object_change &one) { change = one; }, {"name"});
  auto list_token = keeper.animals.observe([&](const collection_change &) { list_calls++; });
  auto entry_token = keeper.roles.observe([&](const dictionary_change &one) { entries = one; });
  realm.refresh();
  realm.write([&] { dog.age = 4; });
  CHECK(change.property_changes.empty() && list_calls == 2);
  realm.write([&] {
    dog.name = "Max";
    keeper.roles["guard"] = dog;
  });
  CHECK(change.property_changes.size() == 1 && change.property_changes[0].name == "name");
  CHECK(change.property_changes[0].new_value == mixed("Max") && (change.key_paths == std::vector<size_t>{0}));
  CHECK(entries.insertions == std::vector<std::string>{"guard"});
  realm.write([&] { realm.remove(dog); });
  CHECK(change.is_deleted);
  CHECK(thrown([&] { keeper.observe([](const object_change &) {}, {"nothing"}); }) == status::no_such_property);
}

TEST(a_callback_is_freed_if_it_cannot_be_registered) {
  db realm(in_memory("freed"));
  tracked track;
  auto keeper = realm.write([&] {
    Keeper ada;
    return realm.add(ada);
  });
  CHECK(thrown([&] { keeper.observe([track](const object_change &) {}, {"nothing"}); }) == status::no_such_property);
  CHECK(track.copies() == 0);
  auto config = db_config((folder / "missing" / "x.realm").string()).set_schema<Keeper>();
  config.should_compact_on_launch([track](uint64_t, uint64_t) { return false; });
  CHECK(thrown([&] { db realm(config); }) == status::io);
  CHECK(track.copies() == 1);
  config = db_config();
  CHECK(track.copies() == 0);
}

TEST(a_token_may_be_destroyed_in_its_callback_and_outlive_the_realm) {
  notification_token survivor;
  tracked track;
  {
    db realm(in_memory("tokens"));
    notification_token own;
    int calls = 0;
    own = realm.objects<Animal>().observe([&](const collection_change &) {
      calls++;
      own.unregister();
    });
    survivor = realm.objects<Animal>().observe([track](const collection_change &) {});
    realm.refresh();
    realm.write([&] { realm.add(animal("Rex", 1)); });
    CHECK(calls == 1);
  }
  CHECK(track.copies() == 1);
  survivor = notification_token();
  CHECK(track.copies() == 0);
}

TEST(objects_keep_their_realm_open_until_it_is_closed) {
  auto config = db_config((folder / "open.realm").string()).set_schema<Keeper, Everything>();
  std::optional<managed<Animal>> kept;
  {
    db realm(config);
    kept = realm.write([&] { return realm.add(animal("Rex", 1)); });
  }
  CHECK(kept->name == "Rex");
  CHECK(thrown([&] { db::delete_files(config); }) == status::already_open);
  kept.reset();
  db realm(config), copy = realm;
  auto rex = realm.objects<Animal>()[0];
  realm.close();
  CHECK(copy.is_closed());
  CHECK(thrown([&] { copy.refresh(); }) == status::object_invalidated);
  CHECK(thrown([&] { rex.name.detach(); }) == status::object_invalidated);
}

TEST(files_are_copied_found_and_deleted) {
  auto config = db_config((folder / "a.realm").string()).set_schema<Keeper>();
  auto destination = db_config((folder / "b.realm").string()).set_schema<Keeper>();
  CHECK(!db::exists(config));
  {
    db realm(config);
    realm.write([&] { realm.add(animal("Rex", 1)); });
    realm.write_copy(destination);
    CHECK(thrown([&] { realm.write_copy(destination); }) == status::file_exists);
  }
  CHECK(db(destination.set_read_only()).objects<Animal>().size() == 1);
  CHECK(thrown([&] { db(destination).begin_write(); }) == status::unsupported);
  CHECK(db::exists(config) && db::delete_files(config) && !db::delete_files(config));
}

TEST(references_lead_other_threads_to_the_same_things) {
  auto config = db_config((folder / "threads.realm").string()).set_schema<Keeper>();
  db realm(config);
  Keeper ada;
  Animal rex = animal("Rex", 3);
  ada.animals = {&rex};
  auto keeper = realm.write([&] { return realm.add(ada); });
  thread_safe_reference<Animal> dog(keeper.animals[0]);
  thread_safe_reference<std::vector<Animal *>> list(keeper.animals);
  thread_safe_reference<results<Animal>> results(realm.objects<Animal>().where("age > 2"));
  std::thread([&] {
    db own(config);
    auto found = own.resolve(dog);
    CHECK(found && found->name == "Rex" && own.resolve(list)->size() == 1 && own.resolve(results)->size() == 1);
    own.write([&] { own.remove(*found); });
    CHECK(!own.resolve(dog));
  }).join();
  CHECK(realm.objects<Animal>().size() == 1);
  realm.refresh();
  CHECK(realm.objects<Animal>().empty() && !realm.resolve(dog));
}

TEST(frozen_data_stay_and_are_read_by_several_threads) {
  db realm(in_memory("frozen"));
  auto rex = realm.write([&] { return realm.add(animal("a name that is long enough for the heap", 3)); });
  auto frozen = freeze(rex);
  auto results = freeze(realm.objects<Animal>());
  realm.write([&] { rex.name = "changed"; });
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; j++) {
        if (frozen.name != "a name that is long enough for the heap" || results[0].age != 3) wrong++;
      }
    });
  }
  for (auto &thread : threads) thread.join();
  CHECK(wrong == 0 && rex.name == "changed" && frozen.is_frozen() && !rex.is_frozen());
  CHECK(thrown([&] { frozen.name = "x"; }) != status::ok);
  CHECK(realm.freeze().thaw().objects<Animal>()[0].name == "changed");
}

TEST(a_second_thread_is_refused_while_one_writes) {
  db realm(in_memory("confined"));
  realm.begin_write();
  status seen = status::ok;
  std::thread([&] { seen = thrown([&] { realm.objects<Animal>(); }); }).join();
  CHECK(seen == status::wrong_thread);
  realm.cancel_write();
}

TEST(a_realm_says_when_there_is_newer_data) {
  auto config = db_config((folder / "changed.realm").string()).set_schema<Keeper>();
  db realm(config);
  std::atomic<int> calls{0};
  tracked track;
  realm.set_changed_callback([&calls, track] { calls++; });
  int observed = 0;
  auto token = realm.observe([&] { observed++; });
  std::thread([&] {
    db own(config);
    own.write([&] { own.add(animal("Rex", 1)); });
  }).join();
  CHECK(realm.wait_for_change(std::chrono::seconds(5)) && calls > 0);
  CHECK(realm.objects<Animal>().empty());
  CHECK(realm.refresh() && realm.objects<Animal>().size() == 1 && observed == 1);
  CHECK(!realm.refresh());
  realm.set_changed_callback({});
  CHECK(track.copies() == 0);
}

namespace old_schema {
struct Animal {
  primary_key<object_id> _id = object_id::generate();
  std::string title;
  std::string years;
};
FLEXSYNC_SCHEMA(Animal, _id, title, years)
}  // namespace old_schema

TEST(a_migration_converts_objects) {
  std::string path = (folder / "migrated.realm").string();
  auto old_config = db_config(path).set_schema<old_schema::Animal>().set_schema_version(1);
  {
    db realm(old_config);
    old_schema::Animal rex;
    rex.title = "Rex";
    rex.years = "12";
    realm.write([&] { realm.add(rex); });
  }
  auto config = db_config(path).set_schema<Animal, Keeper>().set_schema_version(2);
  config.set_migration([](migration &) { throw std::runtime_error("not today"); });
  try {
    db realm(config);
    CHECK(false);
  } catch (const error &error) {
    CHECK(error.status() == status::canceled && std::string(error.what()).find("not today") != std::string::npos);
  }
  std::optional<db> kept;
  config.set_migration([&](migration &migration) {
    CHECK(migration.old_version() == 1);
    migration.rename_property("Animal", "title", "name");
    for (auto animal : migration.after().dynamic_objects("Animal")) {
      auto before = migration.old_object(animal.link());
      animal.set("age", std::stoi(before->get("years").get<std::string>()));
    }
    kept = migration.before();
  });
  db realm(config);
  CHECK(realm.objects<Animal>()[0].name == "Rex" && realm.objects<Animal>()[0].age == 12);
  CHECK(realm.schema_version() == 2u && kept->is_closed());
}

TEST(objects_of_unknown_classes_are_read_by_name) {
  std::string path = (folder / "dynamic.realm").string();
  {
    db realm(db_config(path).set_schema<Keeper>());
    Keeper ada;
    Animal rex = animal("Rex", 3);
    ada.name = "Ada";
    ada.favourite = &rex;
    ada.animals = {&rex};
    realm.write([&] { realm.add(ada); });
  }
  db realm(db_config(path).set_schema_mode(schema_mode::from_file));
  auto keeper = realm.dynamic_objects("Keeper").where("name == $0", {"Ada"})[0];
  CHECK(keeper.get("name") == mixed("Ada") && keeper.linked("favourite")->get("age") == mixed(3));
  CHECK(keeper.list("animals").size() == 1);
  realm.write([&] { keeper.set("name", "Bob"); });
  CHECK(thrown([&] { keeper.get("nothing"); }) == status::no_such_property);
  CHECK(thrown([&] { realm.dynamic_objects("Nothing"); }) == status::no_such_class);
  CHECK(thrown([&] { realm.write([&] { keeper.set("name", 3); }); }) == status::type_mismatch);
}

TEST(a_local_realm_opens_in_the_background) {
  auto config = db_config((folder / "background.realm").string()).set_schema<Keeper>();
  async_open(config).get();
  CHECK(db(config).objects<Animal>().empty());
  auto failed = async_open(db_config((folder / "missing" / "x.realm").string()).set_schema<Keeper>());
  CHECK(thrown([&] { failed.get(); }) == status::io);
}

TEST(local_realms_do_not_sync) {
  db realm(in_memory("local"));
  CHECK(!realm.get_sync_session() && !realm.is_synced());
  CHECK(thrown([&] { realm.subscriptions(); }) == status::not_synced);
  CHECK(thrown([&] { realm.objects<Animal>().subscribe(); }) == status::not_synced);
  CHECK(thrown([&] { realm.rejected_writes(); }) == status::not_synced);
}
