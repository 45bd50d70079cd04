// SPDX-License-Identifier: Apache-2.0
// A task tracker on the command line, in C++: one command per run; data and login stay on disk between runs. It does
// what Bindings/C/tasks.c does.
//
//   tasks-cxx --server http://localhost:9090 --app tasktracker-abcde --data ./phone register alice@example.com secret
//   tasks-cxx … login alice@example.com secret
//   tasks-cxx … subscribe mine 'assignee == "Nadia Zhang"'
//   tasks-cxx … list 'completed == false SORT(dueDate ASC)'
//   tasks-cxx … --offline add 'Write the report' 'Nadia Zhang' 45
//   tasks-cxx … sync
#include <flexsync.hpp>

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace {

constexpr const char *usage =
    "usage: tasks-cxx --server URL --app ID --data DIR [--offline] COMMAND\n"
    "  register EMAIL PASSWORD      make an account\n"
    "  login [EMAIL PASSWORD]       log in; without arguments anonymously\n"
    "  logout\n"
    "  subscribe NAME QUERY         keep the tasks that match on this device\n"
    "  unsubscribe NAME\n"
    "  subscriptions                show the subscriptions and their state\n"
    "  list [QUERY]                 show tasks on this device\n"
    "  count [QUERY]\n"
    "  add NAME [ASSIGNEE MINUTES]  add a task\n"
    "  complete ID                  mark a task as completed\n"
    "  sync                         wait until both sides have everything\n"
    "  watch SECONDS                show changes as they arrive\n";

constexpr std::chrono::seconds timeout(30);

/// The message for the user before the program ends.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The classes of the app; flexsyncd has the same ones in Examples/TaskTracker.

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

struct options {
  std::string server, app, data, command;
  bool is_offline = false;
  std::vector<std::string> arguments;

  options(int argc, char **argv) {
    int i = 1;
    for (; i < argc && std::string(argv[i]).rfind("--", 0) == 0; i++) {
      std::string option = argv[i];
      if (option == "--offline") {
        is_offline = true;
        continue;
      }
      std::string *value = option == "--server" ? &server
                           : option == "--app"  ? &app
                           : option == "--data" ? &data
                                                : nullptr;
      if (!value || ++i == argc) throw failure(usage);
      *value = argv[i];
    }
    if (i >= argc || server.empty() || app.empty() || data.empty()) throw failure(usage);
    command = argv[i];
    arguments.assign(argv + i + 1, argv + argc);
  }
  bool is(const char *name, size_t count) const { return command == name && arguments.size() == count; }
  std::optional<std::string> query() const { return arguments.empty() ? std::nullopt : std::optional(arguments[0]); }
};

flexsync::App open_app(const options &options) {
  flexsync::App::configuration configuration;
  configuration.app_id = options.app;
  configuration.base_url = options.server;
  configuration.path = options.data;
  flexsync::App app(configuration);
  app.set_error_handler([](const flexsync::sync_session &, const flexsync::sync_error &error) {
    std::cerr << "sync: " << error.message << "\n";
    for (auto &write : error.compensating_writes)
      std::cerr << "sync: reverted " << write.object_class_name << ": " << write.reason << "\n";
  });
  return app;
}

const char *name_of(flexsync::subscription_state state) {
  switch (state) {
    case flexsync::subscription_state::pending: return "pending";
    case flexsync::subscription_state::bootstrapping: return "bootstrapping";
    case flexsync::subscription_state::awaiting_mark: return "awaiting mark";
    case flexsync::subscription_state::complete: return "complete";
    case flexsync::subscription_state::error: return "error";
    case flexsync::subscription_state::superseded: return "superseded";
  }
  return "unknown";
}

/// The commands that need a realm.
class task_list {
 public:
  task_list(const flexsync::user &user, bool is_offline)
      : realm_(configuration(user, is_offline)), is_offline_(is_offline) {}

  void run(const options &options) {
    auto &arguments = options.arguments;
    if (options.is("subscribe", 2)) subscribe(arguments[0], arguments[1]);
    else if (options.is("unsubscribe", 1)) unsubscribe(arguments[0]);
    else if (options.is("subscriptions", 0)) show_subscriptions();
    else if (options.command == "list" && arguments.size() <= 1) list(options.query());
    else if (options.command == "count" && arguments.size() <= 1) std::cout << tasks(options.query()).size() << "\n";
    else if (options.is("add", 1)) add(arguments[0], std::nullopt, 0);
    else if (options.is("add", 3)) add(arguments[0], arguments[1], std::atoll(arguments[2].c_str()));
    else if (options.is("complete", 1)) complete(arguments[0]);
    else if (options.is("sync", 0)) {
      synchronize();
      std::cout << "in sync\n";
    } else if (options.is("watch", 1)) watch(std::chrono::seconds(std::atoll(arguments[0].c_str())));
    else throw failure(usage);
  }

 private:
  static flexsync::db_config configuration(const flexsync::user &user, bool is_offline) {
    auto configuration = user.flexible_sync_configuration();
    flexsync::client_reset_handler handler;
    handler.mode = flexsync::client_reset_mode::recover_unsynced_changes;
    return configuration.set_client_reset_handler(handler).set_starts_suspended(is_offline);
  }

  // Subscriptions

  /// Changes the subscriptions and waits for the data, saying how it goes.
  template <typename Function>
  void update(Function function) {
    auto subscriptions = realm_.subscriptions();
    auto progress =
        realm_.get_sync_session()->observe_progress(flexsync::direction::download, [](const flexsync::progress &now) {
          std::cout << "downloading: " << std::lround(now.estimate * 100) << " %\n";
        });
    subscriptions.update(function, timeout).get();
    subscriptions.refresh();
    realm_.refresh();
    progress.unregister();
    std::cout << "subscriptions are " << name_of(subscriptions.state()) << "\n";
  }
  void subscribe(const std::string &name, const std::string &query) {
    update([&](auto &subs) { subs.add(tasks(query), name); });
  }
  void unsubscribe(const std::string &name) {
    update([&](auto &subs) {
      if (!subs.remove(name)) throw failure("tasks-cxx: there is no subscription '" + name + "'");
    });
  }
  void show_subscriptions() {
    auto subscriptions = realm_.subscriptions();
    std::cout << "version " << subscriptions.version() << " is " << name_of(subscriptions.state()) << "\n";
    for (auto one : subscriptions)
      std::cout << "  " << one.name.value_or("") << ": " << one.object_class_name << " where " << one.query_string
                << "\n";
  }

  // Tasks

  flexsync::results<Task> tasks(const std::optional<std::string> &query) const {
    auto all = realm_.objects<Task>();
    return query ? all.where(*query) : all;
  }
  static void show(const flexsync::managed<Task> &task) {
    std::cout << task._id << " [" << (task.completed == true ? 'x' : ' ') << "] " << std::setw(4)
              << task.progressMinutes.detach() << " min  " << std::left << std::setw(9)
              << task.assignee.detach().value_or("-") << std::right << ' ' << task.taskName << "\n";
  }
  void list(const std::optional<std::string> &query) {
    auto found = tasks(query);
    for (auto task : found) show(task);
    std::cout << found.size() << " tasks\n";
  }
  void add(const std::string &name, const std::optional<std::string> &assignee, int64_t minutes) {
    Task task;
    task.taskName = name;
    task.assignee = assignee;
    task.progressMinutes = minutes;
    task.dueDate = std::chrono::system_clock::now() + std::chrono::hours(7 * 24);
    show(realm_.write([&] { return realm_.add(std::move(task)); }));
    if (!is_offline_) synchronize();
  }
  void complete(const std::string &id) {
    auto task = realm_.find<Task>(flexsync::object_id(id));
    if (!task) throw failure("tasks-cxx: there is no task " + id + " on this device");
    realm_.write([&] { task->completed = true; });
    show(*task);
    if (!is_offline_) synchronize();
  }

  // Syncing

  /// Waits until the server has what was written here, and this device has what the server had.
  void synchronize() {
    auto session = *realm_.get_sync_session();
    session.wait_for_upload_completion(timeout).get();
    session.wait_for_download_completion(timeout).get();
    realm_.refresh();
  }
  void watch(std::chrono::seconds time) {
    auto all = tasks(std::nullopt);
    auto token = all.observe([&](const flexsync::collection_change &changes) {
      if (changes.is_initial) std::cout << "watching\n";
      for (size_t index : changes.deletions) std::cout << "gone: task number " << index << "\n";
      for (size_t index : changes.insertions) std::cout << "new: ", show(all[index]);
      for (size_t index : changes.modifications) std::cout << "changed: ", show(all[index]);
      std::cout.flush();
    });
    auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      realm_.refresh();
      realm_.wait_for_change(std::chrono::milliseconds(100));
    }
  }

  flexsync::db realm_;
  bool is_offline_;
};

void run(const options &options) {
  auto app = open_app(options);
  auto &arguments = options.arguments;
  if (options.is("register", 2)) {
    app.register_user(arguments[0], arguments[1]).get();
    std::cout << "registered " << arguments[0] << "\n";
  } else if (options.is("login", 0)) {
    std::cout << "logged in as " << app.login(flexsync::App::credentials::anonymous()).get().identifier() << "\n";
  } else if (options.is("login", 2)) {
    auto credentials = flexsync::App::credentials::username_password(arguments[0], arguments[1]);
    std::cout << "logged in as " << app.login(credentials).get().identifier() << "\n";
  } else {
    auto user = app.get_current_user();
    if (!user) throw failure("tasks-cxx: nobody is logged in on this device; use 'login' first");
    if (!options.is("logout", 0)) return task_list(*user, options.is_offline).run(options);
    user->log_out().get();
    std::cout << "logged out\n";
  }
}

}  // namespace

int main(int argc, char **argv) try {
  run(options(argc, argv));
  return 0;
} catch (const failure &failure) {
  std::cerr << failure.what() << "\n";
  return 1;
} catch (const std::exception &error) {
  std::cerr << "tasks-cxx: " << error.what() << "\n";
  return 1;
}
