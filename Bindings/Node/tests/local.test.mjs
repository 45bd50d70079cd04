// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { App, Decimal128, ObjectId, Realm, UUID } from "flexsync";
import { folderFor } from "./support.mjs";

class Person extends Realm.Object {
  static schema = {
    name: "Person",
    primaryKey: "id",
    properties: {
      id: "int", name: { type: "string", default: "somebody", indexed: true }, nickname: "string?", friend: "Person", friends: "Person[]",
      home: "Place", places: "Place[]", placesByName: "Place{}", labels: "string<>", scores: "int{}", numbers: "int[]", anything: "mixed",
      born: { type: "date", mapTo: "birthday", optional: true },
      admirers: { type: "linkingObjects", objectType: "Person", property: "friend" },
    },
  };

  get greeting() {
    return `Hello ${this.name}`;
  }
}

const Place = { name: "Place", embedded: true, properties: { street: "string", number: "int?" } };
const Everything = {
  name: "Everything",
  properties: {
    flag: "bool", integer: "int", single: "float", double: "double", text: "string", data: "data", time: "date", decimal: "decimal128",
    identifier: "uuid", other: "objectId",
  },
};

function open(t, options = {}) {
  const realm = new Realm({ path: join(folderFor(t), "local.realm"), schema: [Person, Place, Everything], ...options });
  t.after(() => realm.close());
  return realm;
}

test("values of all types come back as they were stored", (t) => {
  const realm = open(t);
  const values = {
    flag: true, integer: 2 ** 40, single: 0.5, double: 0.1, text: "Grüße", data: Uint8Array.of(1, 2).buffer, time: new Date(1234567890123),
    decimal: new Decimal128("1.50"), identifier: new UUID("00112233-4455-6677-8899-aabbccddeeff"), other: new ObjectId("65a000000000000000000001"),
  };
  const one = realm.write(() => realm.create("Everything", values));
  for (const [name, value] of Object.entries(values)) assert.deepEqual(one[name], value, name);
  assert.equal(String(one.decimal), "1.50");
  assert.equal(String(one.identifier), "00112233-4455-6677-8899-aabbccddeeff");
  realm.write(() => { one.integer = 2n ** 60n; one.time = new Date(-1500); });
  assert.equal(one.integer, 2n ** 60n);
  assert.equal(one.time.getTime(), -1500);
});

test("integers that need more than 64 bits, and dates that are none, are refused", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create("Everything", { integer: -(2n ** 63n) }));
  assert.equal(one.integer, -(2n ** 63n));
  const person = realm.write(() => realm.create(Person, { id: 1 }));
  realm.write(() => {
    for (const value of [2n ** 63n, 2n ** 64n - 1n, 2 ** 63, 1e20, -(2n ** 63n) - 1n]) {
      assert.throws(() => { one.integer = value; }, { name: "TypeError", message: /'Everything.integer' to be an integer of 64 bits, got (number|bigint) -?\d/ });
      assert.throws(() => one.increment("integer", value), { name: "TypeError", message: /added to 'Everything.integer'/ });
    }
    assert.throws(() => one.increment("integer", 1.5), TypeError);
    assert.throws(() => { person.anything = 2n ** 63n; }, TypeError);
    assert.throws(() => { one.time = new Date("x"); }, { name: "TypeError", message: /'Everything.time' to be a Date, got an invalid Date/ });
  });
  assert.throws(() => realm.objects("Everything").filtered("integer == $0", 2n ** 63n), { name: "TypeError", message: /bigint 9223372036854775808/ });
  assert.equal(one.integer, -(2n ** 63n));
});

test("a listener that was removed is not called any more", async (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1 }));
  const told = [];
  for (const subject of [one, one.numbers, realm.objects(Person)]) {
    const listener = () => told.push(subject);
    subject.addListener(listener);
    subject.removeListener(listener);
  }
  await turn();
  realm.write(() => { one.numbers = [1]; });
  await turn();
  assert.equal(told.length, 0);
});

test("elements are not taken out of a list as from an array that is no list", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1, numbers: [1, 2] }));
  realm.write(() => {
    assert.throws(() => { delete one.numbers[0]; }, { name: "TypeError", message: /'remove' or 'splice'/ });
    assert.throws(() => { one.numbers.length = 0; }, { name: "TypeError", message: /'splice' or 'clear'/ });
  });
  assert.deepEqual([...one.numbers], [1, 2]);
});

test("an index that is missing, and a key or a query that is no text, change nothing", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1, numbers: [1, 2, 3], scores: { a: 1 } }));
  realm.write(() => {
    for (const wrong of [() => one.numbers.remove(), () => one.numbers.insert(undefined, 4), () => one.numbers.move(null, 1), () => one.numbers.remove("1"),
      () => one.numbers.swap(undefined, 1), () => one.scores.remove(), () => one.scores.set(5, 1), () => realm.objects(Person).limited()]) {
      assert.throws(wrong, TypeError, String(wrong));
    }
    assert.throws(() => one.numbers.remove(-1), { code: "INDEX_OUT_OF_BOUNDS", message: /got -1/ });
    assert.deepEqual(one.numbers.splice(0, undefined), []);
    assert.deepEqual(one.numbers.splice(), []);
    assert.deepEqual(one.numbers.splice(-2, 1.5, 7, 8), [2]);
  });
  assert.deepEqual([...one.numbers], [1, 7, 8, 3]);
  assert.deepEqual(one.scores.entries(), [["a", 1]]);
  for (const query of [undefined, 5, Uint8Array.of(65)]) assert.throws(() => realm.objects(Person).filtered(query), { name: "TypeError", message: /a query to be a string/ });
  assert.throws(() => realm.objects(Person).sorted(5), { name: "TypeError", message: /a key path to be a string, got number 5/ });
  assert.equal(one.numbers[1e23], undefined);
});

test("a value of another kind is not taken for a collection or an object, and leaves what was there", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1, labels: ["kept"], numbers: [1], scores: { kept: 1 } }));
  realm.write(() => {
    for (const [name, values] of Object.entries({ labels: ["text", 5, ["a", 5]], numbers: ["12", {}, [2, "3"]], scores: [5, "text", [1], { a: "b" }] })) {
      for (const value of values) assert.throws(() => { one[name] = value; }, { name: "TypeError", message: new RegExp(`'Person.${name}'`) });
    }
    for (const value of [5, "text", [], new Date(), new ObjectId()]) {
      assert.throws(() => { one.friend = value; }, { name: "TypeError", message: /values of 'Person'/ });
      assert.throws(() => { one.home = value; }, { name: "TypeError", message: /values of 'Place'/ });
      assert.throws(() => realm.create(Person, value), TypeError);
    }
  });
  assert.deepEqual([[...one.labels], [...one.numbers], one.scores.entries()], [["kept"], [1], [["kept", 1]]]);
  realm.write(() => { one.scores = new Map([["a", 2]]); });
  assert.deepEqual(one.scores.entries(), [["a", 2]]);
});

test("a function of write that returns a promise is refused, and what it wrote is undone", async (t) => {
  const realm = open(t);
  assert.throws(() => realm.write(async () => {
    realm.create(Person, { id: 1 });
    await null;
    realm.create(Person, { id: 2 });
  }), { name: "TypeError", message: /'write' has returned a promise/ });
  await turn();
  assert.equal(realm.objects(Person).length, 0);
  assert.equal(realm.isInTransaction, false);
  assert.throws(() => realm.write(), { name: "TypeError", message: /'write' calls to be a function/ });
});

test("objects have the methods of their class, defaults, links, backlinks and embedded objects", (t) => {
  const realm = open(t);
  const nadia = realm.write(() => realm.create(Person, { id: 1, home: { street: "Elm" }, friend: { id: 2, name: "Mateo" }, places: [{ street: "Oak", number: 3 }] }));
  assert.ok(nadia instanceof Person);
  assert.equal(nadia.greeting, "Hello somebody");
  assert.equal(nadia.home.street, "Elm");
  assert.equal(nadia.friend.admirers[0].id, 1);
  assert.equal(nadia.friend.linkingObjectsCount(), 1);
  assert.deepEqual(nadia.places.map((one) => one.number), [3]);
  assert.equal(realm.objectForPrimaryKey(Person, 2).name, "Mateo");
  assert.equal(realm.objectForPrimaryKey(Person, 3), null);
  assert.equal(JSON.parse(JSON.stringify(nadia)).friend.name, "Mateo");
  realm.write(() => realm.delete(nadia));
  assert.equal(nadia.isValid(), false);
  assert.throws(() => nadia.name, { code: "OBJECT_INVALIDATED" });
});

test("a primary key is taken once, unless the object may be updated", (t) => {
  const realm = open(t);
  realm.write(() => realm.create(Person, { id: 1, name: "Nadia", nickname: "N" }));
  assert.throws(() => realm.write(() => realm.create(Person, { id: 1 })), { code: "DUPLICATE_PRIMARY_KEY" });
  realm.write(() => realm.create(Person, { id: 1, nickname: "D" }, Realm.UpdateMode.Modified));
  assert.equal(realm.objects(Person)[0].name, "Nadia");
  assert.equal(realm.objects(Person)[0].nickname, "D");
});

test("lists behave like arrays", (t) => {
  const realm = open(t);
  const { numbers } = realm.write(() => realm.create(Person, { id: 1, numbers: [1, 2, 3] }));
  realm.write(() => {
    assert.equal(numbers.push(4, 5), 5);
    assert.equal(numbers.pop(), 5);
    assert.equal(numbers.shift(), 1);
    numbers.unshift(9, 8);
    assert.deepEqual(numbers.splice(1, 2, 7), [8, 2]);
    numbers[0] = 10;
    numbers.swap(0, 2);
  });
  assert.deepEqual([...numbers], [3, 7, 10, 4]);
  assert.equal(numbers.indexOf(10), 2);
  assert.equal(numbers.at(-1), 4);
  assert.equal(numbers[99], undefined);
  assert.equal(2 in numbers, true);
  assert.throws(() => numbers.push(1), { code: "NOT_IN_WRITE_TRANSACTION" });
});

test("sets and dictionaries behave like those of JavaScript", (t) => {
  const realm = open(t);
  const { labels, scores } = realm.write(() => realm.create(Person, { id: 1, labels: ["b", "a", "b"], scores: { x: 1 } }));
  realm.write(() => {
    labels.add("c").delete("a");
    scores.y = 2;
    scores.set({ z: 3 });
    delete scores.x;
  });
  assert.deepEqual([...labels], ["b", "c"]);
  assert.equal(labels.has("c"), true);
  assert.deepEqual({ ...scores }, { y: 2, z: 3 });
  assert.deepEqual(Object.keys(scores), ["y", "z"]);
  assert.equal("y" in scores, true);
  assert.equal(scores.x, undefined);
});

test("a mixed property holds anything, nested", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1, anything: { list: [1, { deep: null }], when: new Date(0) } }));
  assert.deepEqual(JSON.parse(JSON.stringify(one.anything)), { list: [1, { deep: null }], when: "1970-01-01T00:00:00.000Z" });
  realm.write(() => { one.anything.list[1].deep = "changed"; });
  assert.equal(one.anything.list[1].deep, "changed");
  realm.write(() => { one.anything = one; });
  assert.equal(one.anything.id, 1);
});

test("results are live, filtered and sorted", (t) => {
  const realm = open(t);
  realm.write(() => [3, 1, 2].forEach((id) => realm.create(Person, { id, name: `p${id}`, born: new Date(id), numbers: [id] })));
  const some = realm.objects(Person).filtered("id > $0 AND birthday < $1", 1, new Date(100)).sorted("id", true);
  assert.deepEqual(some.map((one) => one.id), [3, 2]);
  assert.equal(realm.objects(Person).filtered("name IN $0", ["p1", "p2"]).length, 2);
  assert.equal(realm.objects(Person).filtered("name IN $0 AND id > $1", new Set(["p1", "p2"]), 1).length, 1);
  assert.equal(realm.objects(Person).filtered("id IN $0", realm.objectForPrimaryKey(Person, 3).numbers).length, 1);
  assert.equal(some.sum("id"), 5);
  assert.equal(some.max("id"), 3);
  assert.equal(some.indexOf(realm.objectForPrimaryKey(Person, 2)), 1);
  realm.write(() => realm.create(Person, { id: 4, born: new Date(4) }));
  assert.equal(some.length, 3);
  assert.throws(() => realm.objects(Person).filtered("nmae == 'x'"), { code: "QUERY_INVALID" });
  assert.throws(() => realm.objects("Nobody"), { code: "NO_SUCH_CLASS" });
});

test("a transaction that throws is undone, and the error is the program's", (t) => {
  const realm = open(t);
  const mistake = new Error("mine");
  assert.throws(() => realm.write(() => { realm.create(Person, { id: 1 }); throw mistake; }), (error) => error === mistake);
  assert.equal(realm.objects(Person).length, 0);
  assert.throws(() => realm.write(() => realm.create(Person, { id: "one" })), TypeError);
});

test("listeners are told what has changed, and of what another realm has written", async (t) => {
  const realm = open(t);
  const other = new Realm({ path: realm.path, schema: [Person, Place, Everything] });
  const told = [];
  const listener = (people, changes) => told.push([people.length, changes]);
  realm.objects(Person).addListener(listener);
  await turn();
  await turn();
  other.write(() => [1, 2].forEach((id) => other.create(Person, { id })));
  other.write(() => { other.objects(Person)[0].name = "changed"; other.delete(other.objects(Person)[1]); });
  for (let turns = 0; realm.objects(Person).length !== 1 && turns < 100; turns++) await turn();
  other.close();
  assert.deepEqual(told[0], [0, { deletions: [], insertions: [], newModifications: [], oldModifications: [] }]);
  assert.equal(told.at(-1)[0], 1);
});

test("an object tells which properties have changed, until the listener is removed", async (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1 }));
  const told = [];
  const listener = (object, changes) => told.push(changes);
  one.addListener(listener);
  await turn();
  realm.write(() => { one.name = "new"; });
  one.removeListener(listener);
  realm.write(() => { one.name = "newer"; });
  assert.deepEqual(told, [{ deleted: false, changedProperties: [] }, { deleted: false, changedProperties: ["name"] }]);
});

test("what a listener throws comes out of the call that told it", async (t) => {
  const realm = open(t);
  realm.addListener("change", () => { throw new Error("from the listener"); });
  assert.throws(() => realm.write(() => realm.create(Person, { id: 1 })), /from the listener/);
});

test("a migration converts objects", (t) => {
  const path = join(folderFor(t), "old.realm");
  const old = new Realm({ path, schemaVersion: 1, schema: [{ name: "P", properties: { first: "string", last: "string" } }] });
  old.write(() => old.create("P", { first: "Ada", last: "Byron" }));
  old.close();
  const schema = [{ name: "P", properties: { name: "string" } }];
  const failing = { path, schemaVersion: 2, schema, onMigration: () => { throw new Error("no"); } };
  assert.throws(() => new Realm(failing), /no/);
  const realm = new Realm({
    path, schemaVersion: 2, schema,
    onMigration: (before, after) => before.objects("P").forEach((one, index) => { after.objects("P")[index].name = `${one.first} ${one.last}`; }),
  });
  assert.equal(realm.objects("P")[0].name, "Ada Byron");
  assert.equal(realm.schemaVersion, 2);
  realm.close();
});

test("a migration that throws changes nothing, and what it has thrown comes out as it is", (t) => {
  const path = join(folderFor(t), "migrated.realm");
  const before = { name: "Thing", primaryKey: "id", properties: { id: "int", name: "string" } };
  const after = { name: "Thing", primaryKey: "id", properties: { id: "int" } };
  let realm = new Realm({ path, schema: [before], schemaVersion: 1 });
  realm.write(() => realm.create("Thing", { id: 1, name: "kept" }));
  realm.close();
  const convert = (onMigration) => new Realm({ path, schema: [after], schemaVersion: 2, onMigration });
  for (const thrown of [new Error("no"), "text", undefined, null, Symbol("x"), { toString() { throw new Error("no text"); } }]) {
    let caught = "nothing";
    try {
      convert((_, newRealm) => {
        newRealm.deleteAll();
        throw thrown;
      });
    } catch (error) {
      caught = error;
    }
    assert.equal(caught, thrown);
  }
  assert.throws(() => convert(async (_, newRealm) => newRealm.deleteAll()), { name: "TypeError", message: /'onMigration' has returned a promise/ });
  assert.throws(() => convert(5), { name: "TypeError", message: "'onMigration' is a function, not number 5." });
  assert.throws(() => new Realm({ path, schema: [after], schemaVersion: 1.5 }), { name: "TypeError", message: /'schemaVersion' is an integer/ });
  realm = new Realm({ path, schema: [before], schemaVersion: 1 });
  assert.equal(realm.objects("Thing")[0].name, "kept");
  assert.throws(() => realm.write(() => realm.create(before, {})), { name: "TypeError", message: "Expected a class or the name 'Thing', got its schema" });
  realm.close();
});

test("a frozen realm stays as it is", (t) => {
  const realm = open(t);
  const one = realm.write(() => realm.create(Person, { id: 1, name: "before" }));
  const frozen = realm.freeze();
  const still = one.freeze();
  realm.write(() => { one.name = "after"; });
  assert.equal(frozen.objects(Person)[0].name, "before");
  assert.equal(still.name, "before");
  assert.equal(frozen.isFrozen, true);
  assert.throws(() => frozen.beginTransaction(), { code: "UNSUPPORTED" });
  frozen.close();
});

test("a closed realm says so, and its file can be deleted", (t) => {
  const realm = open(t);
  const everyone = realm.objects(Person);
  realm.close();
  assert.equal(realm.isClosed, true);
  assert.equal(everyone.isValid(), false);
  assert.throws(() => everyone.length, { code: "OBJECT_INVALIDATED" });
  assert.throws(() => realm.objects(Person), { code: "OBJECT_INVALIDATED" });
  const config = { path: realm.path };
  assert.equal(Realm.exists(config), true);
  Realm.deleteFile(config);
  assert.equal(Realm.exists(config), false);
});

test("a local realm has no subscriptions", (t) => {
  const realm = open(t);
  assert.throws(() => realm.subscriptions, { code: "NOT_SYNCED" });
  assert.equal(realm.syncSession, null);
});

test("a key that would have no effect is refused, with what to do", (t) => {
  const path = join(folderFor(t), "local.realm");
  const encryptionKey = new Uint8Array(64);
  assert.throws(() => new Realm({ path, encryptionKey }), { code: "UNSUPPORTED", message: /'encryptionKey'.*encrypted file system/ });
  assert.throws(() => Realm.deleteFile({ path, encryptionKey }), { code: "UNSUPPORTED" });
  assert.throws(() => new Realm({ path, migration: () => {} }), { code: "UNSUPPORTED", message: /'migration'.*'onMigration'/ });
  assert.throws(() => new Realm({ path, shema: [Place] }), (error) => error instanceof TypeError && /'shema'.*schema/.test(error.message));
  assert.throws(() => new Realm({ path, toString: () => "a key that objects have by nature" }), TypeError);
  assert.throws(() => new Realm([path]), TypeError);
  assert.equal(Realm.exists({ path }), false);
  new Realm({ path, encryptionKey: undefined, sync: undefined }).close();
});

test("a realm with sync is not opened as a local one when its user is none", (t) => {
  for (const user of [5, "nadia", {}, null]) {
    assert.throws(() => open(t, { sync: { user, flexible: true } }), { name: "TypeError", message: /'sync.user', a user of an app, not / });
  }
});

test("a key of a synced realm or an app that would have no effect is refused, too", async () => {
  const user = {};
  const open = (sync) => Realm.open({ sync: { user, flexible: true, ...sync } });
  await assert.rejects(open({ partitionValue: "x" }), { code: "UNSUPPORTED", message: /'partitionValue'/ });
  await assert.rejects(open({ clientReset: { clientResetBefore: () => {} } }), { code: "UNSUPPORTED", message: /'onBefore'/ });
  await assert.rejects(open({ newRealmFileBehavior: { timeout: 100 } }), /'timeout'.*'sync.newRealmFileBehavior'.*timeOut/);
  await assert.rejects(open({ initialSubscriptions: { rerun: true } }), TypeError);
  assert.throws(() => new App({ id: "x", baseUrl: "http://localhost:9090", metadata: {} }), { code: "UNSUPPORTED", message: /'metadata'/ });
  assert.throws(() => new App({ id: "x", baseURL: "http://localhost:9090" }), /'baseURL'.*baseUrl/);
  assert.throws(() => new App("x"), TypeError);
});
