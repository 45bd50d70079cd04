// SPDX-License-Identifier: Apache-2.0
// The smallest program that opens a realm through the C++ headers, writes and reads.
#include <flexsync.hpp>

struct Hello {
  flexsync::primary_key<int64_t> _id;
  std::string greeting;
};
FLEXSYNC_SCHEMA(Hello, _id, greeting)

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  flexsync::db realm{flexsync::db_config(argv[1])};
  realm.write([&] {
    Hello hello;
    hello.greeting = "hello, world";
    realm.add(hello);
  });
  return realm.objects<Hello>().where([](auto &hello) { return hello.greeting == "hello, world"; }).size() == 1 ? 0 : 1;
}
