// SPDX-License-Identifier: Apache-2.0
/// @file The classes of the scenarios.
#ifndef MODELS_HPP
#define MODELS_HPP

#include <flexsync.hpp>

struct Task {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string taskName;
  std::optional<std::string> assignee;
  bool completed = false;
  int64_t progressMinutes = 0;
  std::chrono::system_clock::time_point dueDate;
};
FLEXSYNC_SCHEMA(Task, _id, taskName, assignee, completed, progressMinutes, dueDate)

struct Team {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string teamName;
  std::vector<Task *> tasks;
  std::vector<std::string> members;
};
FLEXSYNC_SCHEMA(Team, _id, teamName, tasks, members)

struct Item {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string name;
  std::set<std::string> labels;
  std::set<std::optional<int64_t>> numbers;
  std::set<Item *> related;
  std::map<std::string, int64_t> counts;
  std::map<std::string, std::optional<std::string>> notes;
  std::map<std::string, flexsync::timestamp> dates;
  std::map<std::string, Item *> partners;
};
FLEXSYNC_SCHEMA(Item, _id, name, labels, numbers, related, counts, notes, dates, partners)

struct Country {
  std::string name;
};
FLEXSYNC_EMBEDDED_SCHEMA(Country, name)

struct Contact;
struct Address {
  std::string street;
  std::optional<int64_t> number;
  Country *country = nullptr;
  Contact *landlord = nullptr;
};
FLEXSYNC_EMBEDDED_SCHEMA(Address, street, number, country, landlord)

struct Contact {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string name;
  Address *home = nullptr;
  std::vector<Address *> addresses;
  std::map<std::string, Address *> places;
  Contact *friend_ = nullptr;
};
FLEXSYNC_PROPERTY_NAME(Contact, friend_, "friend")
FLEXSYNC_SCHEMA(Contact, _id, name, home, addresses, places, friend_)

struct Note {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string name;
  flexsync::decimal128 price;
  std::optional<flexsync::decimal128> discount;
  std::vector<flexsync::decimal128> prices;
  flexsync::mixed any;
  std::vector<flexsync::mixed> anything;
  std::map<std::string, flexsync::mixed> byName;
};
FLEXSYNC_SCHEMA(Note, _id, name, price, discount, prices, any, anything, byName)

struct Site {
  std::string name;
};
FLEXSYNC_EMBEDDED_SCHEMA(Site, name)

struct Reading {
  flexsync::primary_key<flexsync::object_id> _id;
  std::string sensor;
  int64_t count = 0;
  Site *site = nullptr;
};
FLEXSYNC_ASYMMETRIC_SCHEMA(Reading, _id, sensor, count, site)

#endif
