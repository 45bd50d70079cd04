// SPDX-License-Identifier: Apache-2.0
/// @file A test is a function that is registered by its name; CHECK says where something is not as it should be.
#ifndef TESTING_HPP
#define TESTING_HPP

#include <flexsync.hpp>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

struct test {
  const char *name;
  void (*run)();
};

inline std::vector<test> &tests() {
  static std::vector<test> all;
  return all;
}
inline int failures = 0;
/// The server to test with; empty for none. A test of sync returns at once then.
inline std::string server;
/// A folder for this test alone.
inline std::filesystem::path folder;

#define TEST(name)                                                                                    \
  static void name();                                                                                 \
  [[maybe_unused]] static const bool name##_is_registered = (tests().push_back({#name, name}), true); \
  static void name()

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " << #condition << "\n"; \
      failures++;                                                             \
    }                                                                         \
  } while (false)

/// The status of the error that a function throws; `ok` if it throws none.
template <typename Function>
flexsync::status thrown(Function function) {
  try {
    function();
  } catch (const flexsync::error &error) {
    return error.status();
  }
  return flexsync::status::ok;
}

/// Whether something becomes true within ten seconds.
template <typename Condition>
bool eventually(Condition condition) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

#endif
