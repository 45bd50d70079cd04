// SPDX-License-Identifier: Apache-2.0
/** Observers of one device, and what they have been told. */

const listed = (verb, places) => (places.length ? [`${verb} [${places.join(", ")}]`] : []);

export class Observers {
  #observers = new Map();

  /** Observes results or a collection. The first call tells of no changes. */
  observeCollection(step, subject) {
    let isFirst = true;
    this.#add(step, subject, (told, { deletions, insertions, modifications, newModifications }) => {
      const changes = [
        ...listed("deleted", deletions), ...listed("inserted", insertions),
        ...listed("modified", newModifications ?? modifications),
      ];
      told.push([...(isFirst ? ["first"] : []), ...changes].join(" "));
      isFirst = false;
    });
  }

  /** Observes an object, whose changed properties are told in the order of its class. */
  observeObject(step, subject) {
    const names = Object.keys(subject.objectSchema().properties);
    this.#add(step, subject, (told, { deleted, changedProperties }) => {
      // The first call, which other languages do not make.
      if (!deleted && changedProperties.length === 0) return;
      told.push([deleted ? "deleted" : "changed", ...names.filter((name) => changedProperties.includes(name))].join(" "));
    });
  }

  #add({ as, keyPaths }, subject, collect) {
    const told = [];
    const listener = (_, changes) => collect(told, changes);
    subject.addListener(listener, keyPaths);
    this.#observers.set(as, { told, end: () => subject.removeListener(listener) });
  }

  remove(name) {
    this.#observers.get(name).end();
    this.#observers.delete(name);
  }

  /** What they have been told since the last time. */
  take() {
    return [...this.#observers].flatMap(([name, { told }]) => told.splice(0).map((line) => `${name}: ${line}`));
  }

  close() {
    for (const { end } of this.#observers.values()) end();
    this.#observers.clear();
  }
}
