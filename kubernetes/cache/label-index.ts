export type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** Objects by label, so that a selector finds its objects without scanning all of them. */
export class LabelIndex<T extends Labelled> {
  /** By namespace, label key and value, then by name. */
  readonly #byLabel = new Map<string, Map<string, T>>();

  put(object: T, previous?: T): void {
    if (previous !== undefined && previous.labels !== object.labels) this.delete(previous);
    for (const [key, value] of Object.entries(object.labels)) {
      const at = positionOf(object.namespace, key, value);
      let objects = this.#byLabel.get(at);
      if (objects === undefined) {
        objects = new Map();
        this.#byLabel.set(at, objects);
      }
      objects.set(object.name, object);
    }
  }

  delete(object: T): void {
    for (const [key, value] of Object.entries(object.labels)) {
      const at = positionOf(object.namespace, key, value);
      const objects = this.#byLabel.get(at);
      objects?.delete(object.name);
      if (objects?.size === 0) this.#byLabel.delete(at);
    }
  }

  /** Returns the objects of a namespace that have all of these labels; none if no label is given. */
  select(namespace: string, matchLabels: Labels): T[] {
    const [first, ...others] = Object.entries(matchLabels)
      .map(
        ([key, value]): ReadonlyMap<string, T> =>
          this.#byLabel.get(positionOf(namespace, key, value)) ?? new Map<string, T>(),
      )
      .sort((a, b) => a.size - b.size);
    if (first === undefined) return [];
    return [...first.values()].filter(({ name }) => others.every((objects) => objects.has(name)));
  }
}

const positionOf = (namespace: string, key: string, value: string) =>
  `${namespace}\0${key}\0${value}`;
