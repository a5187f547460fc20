import { GroupIndex } from "./group-index.ts";

export type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** Objects by label, so that a selector finds its objects without scanning all of them. */
export class LabelIndex<T extends Labelled> {
  readonly #byLabel = new GroupIndex<T>(({ namespace, labels }) =>
    Object.entries(labels).map(([key, value]) => positionOf(namespace, key, value)),
  );

  put(object: T, previous?: T): void {
    if (previous !== undefined && previous.labels !== object.labels) this.delete(previous);
    this.#byLabel.put(object);
  }

  delete(object: T): void {
    this.#byLabel.delete(object);
  }

  /** Returns the objects of a namespace that have all of these labels; none if no label is given. */
  select(namespace: string, matchLabels: Labels): T[] {
    const [first, ...others] = Object.entries(matchLabels)
      .map(([key, value]) => this.#byLabel.of(positionOf(namespace, key, value)))
      .sort((a, b) => a.size - b.size);
    if (first === undefined) return [];
    return [...first.values()].filter(({ name }) => others.every((objects) => objects.has(name)));
  }
}

const positionOf = (namespace: string, key: string, value: string) =>
  `${namespace}\0${key}\0${value}`;
