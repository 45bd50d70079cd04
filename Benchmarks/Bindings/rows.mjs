// SPDX-License-Identifier: Apache-2.0
/** What rows.c does, in JavaScript, which has no columns. */
import { Realm } from "flexsync";

class Row extends Realm.Object {
  static schema = { name: "Row", primaryKey: "_id", properties: { _id: "int", name: "string", minutes: "int", share: "double" } };
}

const [path, count] = [process.argv[2], Number(process.argv[3])];

function measure(what, work) {
  const begin = performance.now();
  work();
  console.log(`${what}\t${Math.round(count / ((performance.now() - begin) / 1000))}`);
}

const realm = await Realm.open({ path, schema: [Row] });
measure("insert", () => realm.write(() => {
  for (let i = 0; i < count; i++) realm.create(Row, { _id: i, name: `row ${i}`, minutes: i % 60, share: i / 7 });
}));
let [minutes, length, share] = [0, 0, 0];
measure("read", () => {
  for (const row of realm.objects(Row)) {
    length += row.name.length;
    minutes += row.minutes;
    share += row.share;
  }
});
console.error(minutes, length, Math.trunc(share));
realm.close();
