// SPDX-License-Identifier: Apache-2.0
// Apps, users, subscriptions and sessions, with a server that serves Examples/TaskTracker.
#include <flexsync/realm_compat.hpp>

#include <atomic>
#include <mutex>

#include "models.hpp"
#include "testing.hpp"

using namespace flexsync;

namespace {

App open_app(const std::string &device, loop_mode mode = loop_mode::own_thread) {
  App::configuration configuration;
  configuration.app_id = "tasktracker-abcde";
  configuration.base_url = server;
  configuration.path = (folder / device).string();
  configuration.loop_mode = mode;
  return App(configuration);
}

db_config synced(const user &user) { return user.flexible_sync_configuration().set_schema<Team>(); }

std::string unique_email() { return object_id::generate().to_string() + "@example.com"; }

user new_user(const App &app) {
  std::string email = unique_email();
  app.register_user(email, "password").get();
  return app.login(App::credentials::username_password(email, "password")).get();
}

Task task(const std::string &name, const std::string &assignee) {
  Task result;
  result.taskName = name;
  result.assignee = assignee;
  return result;
}

}  // namespace

TEST(futures_carry_the_errors_of_the_server) {
  if (server.empty()) return;
  App app = open_app("errors");
  auto login = app.login(App::credentials::username_password("nobody@example.com", "wrong"));
  try {
    login.get();
    CHECK(false);
  } catch (const error &error) {
    CHECK(error.status() == status::invalid_password && error.server_code() == "InvalidPassword");
  }
  std::string email = unique_email();
  app.register_user(email, "password").get();
  CHECK(thrown([&] { app.register_user(email, "password").get(); }) == status::account_name_in_use);
  App::configuration configuration;
  configuration.app_id = "x";
  configuration.base_url = "nonsense";
  configuration.path = folder.string();
  CHECK(thrown([&] { App app(configuration); }) == status::invalid_argument);
}

TEST(users_are_the_same_wherever_they_come_from) {
  if (server.empty()) return;
  App app = open_app("users");
  user first = new_user(app), second = new_user(app);
  CHECK(app.all_users().size() == 2 && *app.get_current_user() == second && first != second);
  app.switch_user(first);
  CHECK(*app.get_current_user() == first && first.is_logged_in() && !first.access_token().empty());
  CHECK(first.provider() == "local-userpass" && first.identities().size() == 1);
  CHECK(first.app().app_id() == app.app_id());
  first.log_out().get();
  CHECK(first.state() == user_state::logged_out && first.access_token().empty() && !first.get_custom_data());
  second.remove().get();
  CHECK(second.state() == user_state::removed);
}

// Feature 182
TEST(subscriptions_are_updated_waited_for_and_observed) {
  if (server.empty()) return;
  db realm(synced(new_user(open_app("subscriptions"))));
  auto subscriptions = realm.subscriptions();
  CHECK(subscriptions.version() == 0 && subscriptions.empty());
  auto completed = subscriptions.update([](auto &subs) {
    subs.template add<Task>("mine", [](auto &task) { return task.assignee == "alice"; });
    subs.template add<Task>(std::nullopt, [](auto &task) { return task.completed == true; });
  });
  std::mutex mutex;
  std::vector<subscription_state> states;
  auto token = subscriptions.observe([&](subscription_state state) {
    std::lock_guard<std::mutex> lock(mutex);
    states.push_back(state);
  });
  CHECK(completed.get());
  subscriptions.refresh();
  CHECK(subscriptions.state() == subscription_state::complete && subscriptions.version() == 1);
  CHECK(eventually([&] {
    std::lock_guard<std::mutex> lock(mutex);
    return !states.empty() && states.back() == subscription_state::complete;
  }));
  CHECK(subscriptions.size() == 2 && subscriptions.find("mine")->query_string == "assignee == \"alice\"");
  CHECK(!subscriptions[1].name && subscriptions.find(realm.objects<Task>().where("completed == true")));

  CHECK(thrown([&] {
          subscriptions.update([&](auto &subs) { subs.template add<Task>("mine", {}, name_conflict::fail); });
        }) == status::subscription_exists);
  CHECK(thrown([&] {
          subscriptions.update([&](auto &subs) { subs.add(realm.objects<Task>().where("TRUEPREDICATE LIMIT(3)")); });
        }) == status::query_invalid);
  CHECK(thrown([&] { subscriptions.update([&](auto &subs) { subs.template update_subscription<Task>("other"); }); }) ==
        status::subscription_not_found);
  bool is_caught = false;
  try {
    subscriptions.update([](auto &subs) {
      subs.clear();
      throw std::logic_error("no");
    });
  } catch (const std::logic_error &) {
    is_caught = true;
  }
  CHECK(is_caught && realm.subscriptions().size() == 2);
  subscriptions
      .update([&](auto &subs) {
        CHECK(subs.size() == 2);
        subs.template update_subscription<Task>("mine", [](auto &task) { return task.assignee == "bob"; });
        CHECK(subs.remove_all_unnamed() == 1 && !subs.remove("nothing"));
      })
      .get();
  CHECK(realm.subscriptions().find("mine")->query_string == "assignee == \"bob\"");
  CHECK(realm.active_subscriptions().version() == 2);
}

// Feature 61, 181
TEST(programs_for_realm_update_their_subscriptions_as_before) {
  if (server.empty()) return;
  realm::db syncedRealm(synced(new_user(open_app("compat"))));
  auto isUpdated = syncedRealm.subscriptions()
                       .update([](realm::mutable_sync_subscription_set &subs) { subs.add<Task>("tasks"); })
                       .get();
  CHECK(isUpdated == true && syncedRealm.subscriptions().size() == 1);
  syncedRealm.refresh();
  // Adding it again does not fail.
  isUpdated = syncedRealm.subscriptions()
                  .update([](realm::mutable_sync_subscription_set &subs) {
                    subs.add<Task>("tasks", [](auto &obj) { return obj.progressMinutes < 3; });
                  })
                  .get();
  CHECK(isUpdated == true && syncedRealm.subscriptions().size() == 1);
  syncedRealm.subscriptions()
      .update([](realm::mutable_sync_subscription_set &subs) {
        subs.update_subscription<Task>("tasks", [](auto &obj) { return obj.progressMinutes < 2; });
      })
      .get();
  std::optional<realm::sync_subscription> found = syncedRealm.subscriptions().find("tasks");
  CHECK(found && found->query_string == "progressMinutes < 2" && found->object_class_name == "Task");
  syncedRealm.subscriptions().update([](realm::mutable_sync_subscription_set &subs) { subs.remove("tasks"); }).get();
  CHECK(syncedRealm.subscriptions().find("tasks") == std::nullopt);
  syncedRealm.subscriptions().update([](realm::mutable_sync_subscription_set &subs) { subs.clear(); }).get();
  CHECK(syncedRealm.subscriptions().size() == 0);
}

TEST(a_rejected_query_fails_the_future) {
  if (server.empty()) return;
  db realm(synced(new_user(open_app("rejected"))));
  auto completed = realm.subscriptions().update(
      [](auto &subs) { subs.template add<Team>("bad", [](auto &team) { return team.tasks.size() > 0; }); });
  CHECK(thrown([&] { completed.get(); }) == status::subscription_failed);
  auto subscriptions = realm.subscriptions();
  CHECK(subscriptions.state() == subscription_state::error && !subscriptions.error_message().empty());
}

// Feature 182
TEST(initial_subscriptions_run_once) {
  if (server.empty()) return;
  auto config = synced(new_user(open_app("initial")));
  int calls = 0;
  config.set_initial_subscriptions([&](db &realm, mutable_sync_subscription_set &subs) {
    calls++;
    subs.add(realm.objects<Task>().where("completed == false"), "open");
  });
  async_open(config).get();
  { db realm(config, open_mode::download_once); }
  db realm(config);
  CHECK(calls == 1 && realm.subscriptions().size() == 1);
}

// Feature 49
TEST(writes_reach_another_device) {
  if (server.empty()) return;
  user alice = new_user(open_app("alice")), bob = new_user(open_app("bob"));
  db here(synced(alice)), there(synced(bob));
  std::string name = unique_email();
  auto all = [&](auto &subs) { subs.template add<Task>("theirs", [&](auto &task) { return task.assignee == name; }); };
  here.subscriptions().update(all).get();
  there.subscriptions().update(all).get();
  CHECK(thrown([&] { db realm(synced(alice).set_starts_suspended()); }) == status::ok);
  here.write([&] { here.add(task("shared", name)); });
  auto session = *here.get_sync_session();
  session.wait_for_upload_completion().get();
  there.get_sync_session()->wait_for_download_completion().get();
  there.refresh();
  CHECK(there.objects<Task>().size() == 1 && there.objects<Task>()[0].taskName == "shared");
  CHECK(there.objects<Task>().where([&](auto &task) { return task.assignee == name; }).complete_as_of());
  CHECK(!there.objects<Task>().complete_as_of());

  std::atomic<int> changes{0}, done{0};
  auto token = session.observe_connection_change([&](connection_state, connection_state) { changes++; });
  session.suspend();
  CHECK(session.state() == session_state::inactive && session.user() == alice);
  std::chrono::milliseconds soon(100);
  session.wait_for_download_completion(
      [&](std::optional<error> failed) { done = failed && failed->status() == status::timed_out ? 2 : 1; }, soon);
  CHECK(eventually([&] { return done == 2; }));
  CHECK(thrown([&] { session.wait_for_download_completion(soon).get(); }) == status::timed_out);
  session.resume();
  session.wait_for_upload_completion().get();
  CHECK(changes > 0 && alice.all_sessions().size() == 1);
}

// Feature 139
TEST(a_session_tells_whether_its_process_is_the_sync_agent) {
  if (server.empty()) return;
  db realm(synced(new_user(open_app("agent"))).set_starts_suspended());
  auto session = *realm.get_sync_session();
  CHECK(!session.is_sync_agent());
  session.resume();
  CHECK(eventually([&] { return session.is_sync_agent(); }));
  session.suspend();
  CHECK(eventually([&] { return !session.is_sync_agent(); }));
}

TEST(reverted_writes_are_reported_and_kept) {
  if (server.empty()) return;
  App app = open_app("reverted");
  std::atomic<int> reverted{0};
  app.set_error_handler([&](const sync_session &, const sync_error &error) {
    if (error.status == status::write_rejected) reverted += static_cast<int>(error.compensating_writes.size());
  });
  db realm(synced(new_user(app)));
  CHECK(thrown([&] { realm.write([&] { realm.add(task("early", "alice")); }); }) == status::no_subscription_for_write);
  realm.subscriptions()
      .update([](auto &subs) { subs.template add<Task>("mine", [](auto &task) { return task.assignee == "alice"; }); })
      .get();
  std::vector<collection_change> changes;
  auto token = realm.observe_rejected_writes([&](const collection_change &change) { changes.push_back(change); });
  realm.refresh();
  realm.write([&] { realm.add(task("outside", "bob")); });
  CHECK(eventually([&] { return reverted == 1; }));
  CHECK(eventually([&] { return realm.refresh(), realm.objects<Task>().where("assignee == 'bob'").empty(); }));
  auto writes = realm.rejected_writes();
  CHECK(writes.size() == 1 && writes[0].object_class_name == "Task" && writes[0].has_changes);
  CHECK(changes.size() == 2 && changes[1].insertions.size() == 1);
  realm.write([&] {
    realm.resubmit(writes[0]);
    realm.find<Task>(writes[0].primary_key.get<object_id>())->assignee = "alice";
  });
  realm.get_sync_session()->wait_for_upload_completion().get();
  realm.get_sync_session()->wait_for_download_completion().get();
  realm.refresh();
  CHECK(realm.rejected_writes().empty() && realm.objects<Task>().where("taskName == 'outside'").size() == 1);
}

TEST(results_subscribe_and_unsubscribe) {
  if (server.empty()) return;
  db realm(synced(new_user(open_app("results"))));
  auto mine = realm.objects<Task>().where([](auto &task) { return task.assignee == "carol"; });
  mine.subscribe("carols", wait_for_sync::always, std::chrono::seconds(20)).get();
  CHECK(realm.subscriptions().find("carols"));
  mine.unsubscribe_and_wait().get();
  CHECK(realm.subscriptions().empty());
  mine.subscribe(std::nullopt, wait_for_sync::never).get();
  CHECK(realm.subscriptions().size() == 1);
  mine.unsubscribe();
  CHECK(realm.subscriptions().empty());
}

TEST(a_program_may_run_the_loop_itself) {
  if (server.empty()) return;
  App app = open_app("poll", loop_mode::poll);
  auto pumped = [&](auto future) {
    while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) app.pump();
    return future.get();
  };
  user user = pumped(app.login(App::credentials::anonymous()));
  db realm(synced(user));
  auto subscriptions = realm.subscriptions();
  CHECK(pumped(subscriptions.update([](auto &subs) { subs.template add<Task>("all"); })));
  CHECK(app.poll_descriptor() >= 0);
  CHECK(thrown([] { open_app("own").pump(); }) == status::unsupported);
}

TEST(a_transport_of_the_program_gets_the_requests) {
  if (server.empty()) return;
  App app = open_app("transport");
  std::atomic<int> requests{0};
  app.set_http_transport([&](const App &app, const http_request &request, http_completion done) {
    requests++;
    app.perform_http_request(request, std::move(done));
  });
  CHECK(app.login(App::credentials::anonymous()).get().is_logged_in() && requests > 0);
  app.set_http_transport([](const App &, const http_request &, http_completion done) {
    done({}, error(status::connection_failed, "no network today"));
  });
  try {
    app.register_user("a@example.com", "password").get();
    CHECK(false);
  } catch (const error &error) {
    CHECK(error.status() == status::connection_failed);
  }
  app.set_http_transport({});
}

TEST(an_abandoned_future_does_not_wait) {
  if (server.empty()) return;
  {
    db realm(synced(new_user(open_app("abandoned"))).set_starts_suspended());
    realm.subscriptions().update([](auto &subs) { subs.template add<Task>("all"); });
  }
  std::atomic<int> lines{0};
  set_logger(log_level::all, [&](log_level, std::string_view) { lines++; });
  {
    db realm(synced(new_user(open_app("logged"))));
    realm.get_sync_session()->wait_for_download_completion().get();
  }
  set_logger(log_level::warn);
  CHECK(lines > 0);
}
