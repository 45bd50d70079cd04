// SPDX-License-Identifier: Apache-2.0
/** The classes of the scenarios: those of Examples/TaskTracker and of ../Collections. */

const key = { primaryKey: "_id" };

export const CLASSES = [
  {
    name: "Task", ...key,
    properties: { _id: "objectId", taskName: "string", assignee: "string?", completed: "bool", progressMinutes: "int", dueDate: "date" },
  },
  { name: "Team", ...key, properties: { _id: "objectId", teamName: "string", tasks: "Task[]", members: "string[]" } },
  {
    name: "Item", ...key,
    properties: {
      _id: "objectId", name: "string", labels: "string<>", numbers: "int?<>", related: "Item<>", counts: "int{}", notes: "string?{}",
      dates: "date{}", partners: "Item{}",
    },
  },
  {
    name: "Contact", ...key,
    properties: { _id: "objectId", name: "string", home: "Address", addresses: "Address[]", places: "Address{}", friend: "Contact" },
  },
  { name: "Address", embedded: true, properties: { street: "string", number: "int?", country: "Country", landlord: "Contact" } },
  { name: "Country", embedded: true, properties: { name: "string" } },
  {
    name: "Note", ...key,
    properties: {
      _id: "objectId", name: "string", price: "decimal128", discount: "decimal128?", prices: "decimal128[]", any: "mixed",
      anything: "mixed[]", byName: "mixed{}",
    },
  },
  { name: "Reading", ...key, asymmetric: true, properties: { _id: "objectId", sensor: "string", count: "int", site: "Site" } },
  { name: "Site", embedded: true, properties: { name: "string" } },
];

/** Local realms have no asymmetric classes. */
export const LOCAL_CLASSES = CLASSES.filter(({ name }) => name !== "Reading" && name !== "Site");
