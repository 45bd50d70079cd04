// SPDX-License-Identifier: Apache-2.0
// Runs the tests: cxx-tests [--server URL] [NAME …]
#include <algorithm>

#include "testing.hpp"

int main(int argc, char **argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.size() >= 2 && names[0] == "--server") {
    server = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  size_t count = 0;
  auto root = std::filesystem::temp_directory_path() / ("flexsync-cxx-" + flexsync::object_id::generate().to_string());
  for (const test &test : tests()) {
    if (!names.empty() && std::find(names.begin(), names.end(), test.name) == names.end()) continue;
    folder = root / test.name;
    std::filesystem::create_directories(folder);
    int before = failures;
    try {
      test.run();
    } catch (const std::exception &error) {
      std::cerr << test.name << ": " << error.what() << "\n";
      failures++;
    }
    if (failures > before) std::cerr << "FAIL " << test.name << "\n";
    count++;
  }
  std::filesystem::remove_all(root);
  std::cout << "C++: " << count << " tests, " << failures << " failures\n";
  return failures ? 1 : 0;
}
