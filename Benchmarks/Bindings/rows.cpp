// SPDX-License-Identifier: Apache-2.0
// What rows.c does, in C++.
#include <flexsync.hpp>

#include <chrono>
#include <iostream>

struct Row {
  flexsync::primary_key<int64_t> _id = 0;
  std::string name;
  int64_t minutes = 0;
  double share = 0;
};
FLEXSYNC_SCHEMA(Row, _id, name, minutes, share)

template <typename Work>
void measure(const char *what, size_t count, Work &&work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::cout << what << "\t" << static_cast<uint64_t>(static_cast<double>(count) / time.count()) << "\n";
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t count = std::stoul(argv[2]);
  flexsync::db realm{flexsync::db_config(argv[1])};
  measure("insert", count, [&] {
    realm.write([&] {
      for (size_t i = 0; i < count; i++) {
        Row row;
        row._id = static_cast<int64_t>(i);
        row.name = "row " + std::to_string(i);
        row.minutes = static_cast<int64_t>(i % 60);
        row.share = static_cast<double>(i) / 7;
        realm.add(row);
      }
    });
  });
  auto rows = realm.objects<Row>();
  int64_t minutes = 0;
  size_t length = 0;
  double share = 0;
  measure("read", count, [&] {
    for (auto row : rows) {
      length += row.name.detach().size();
      minutes += row.minutes;
      share += row.share;
    }
  });
  measure("read columns", count, [&] {
    auto [names, numbers, shares] = rows.columns(&Row::name, &Row::minutes, &Row::share);
    if (names.size() != count || numbers.size() != count || shares.size() != count) std::abort();
  });
  std::cerr << minutes << " " << length << " " << static_cast<int64_t>(share) << "\n";
}
