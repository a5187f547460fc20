import { isMap } from "../../kubernetes/values/records.ts";
import type { ContainerShape } from "./shapes.ts";
import type { StackObject } from "./stack-object.ts";
import { attempt } from "./unknown-value.ts";

/** Variables of containers that ConfigMaps of the same stack contain. */

interface Entry {
  readonly name: string;
  readonly value?: unknown;
  readonly valueFrom?: unknown;
}

type Variables = ReadonlyMap<string, string>;

/** Returns the data of a ConfigMap of the stack; undefined if there is none, or if its values are not known yet. */
type DataOf = (namespace: string, name: unknown) => Variables | undefined;

export function configData(objects: readonly StackObject[]): DataOf {
  const all = new Map<string, Variables | undefined>();
  for (const { kind, manifest } of objects) {
    if (kind !== "/ConfigMap") continue;
    const read = attempt(() => {
      const { name, namespace = "default" } = manifest.metadata;
      const { data } = manifest as { data?: unknown };
      const values = isMap(data) ? Object.entries(data) : [];
      const texts = values.filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      return [`${namespace}/${name}`, new Map(texts)] as const;
    });
    if ("unknown" in read) continue;
    const [key, values] = read.value;
    // Two objects of one name: one of them replaces the other.
    all.set(key, all.has(key) ? undefined : values);
  }
  return (namespace, name) => all.get(`${namespace}/${String(name)}`);
}

/**
 * Writes the variables of ConfigMaps into a container, as the kubelet does: its own `env` has priority over `envFrom`, and
 * the last source over others. A source that the stack does not contain stays in `envFrom`. The variables of the
 * container keep their places.
 */
export function fillVariables(container: ContainerShape, namespace: string, dataOf: DataOf): void {
  attempt(() => {
    const { env = [], envFrom = [] } = container as { env?: unknown; envFrom?: unknown };
    if (!Array.isArray(env) || !Array.isArray(envFrom)) return;
    const own = env.map((entry) => withValue(entry, (name) => dataOf(namespace, name)));
    const names = new Set(own.map((entry) => (isMap(entry) ? entry.name : undefined)));
    const found = new Map<string, string>();
    const others: unknown[] = [];
    for (const source of envFrom) {
      const { configMapRef, prefix = "" } = isMap(source) ? source : {};
      const data = isMap(configMapRef) ? dataOf(namespace, configMapRef.name) : undefined;
      if (data === undefined) others.push(source);
      for (const [key, value] of data ?? []) found.set(`${String(prefix)}${key}`, value);
    }
    const more = [...found].flatMap(([name, value]) => (names.has(name) ? [] : [{ name, value }]));
    Object.assign(container, {
      ...((env.length > 0 || more.length > 0) && { env: [...own, ...more] }),
      ...(envFrom.length > 0 && { envFrom: others }),
    });
  });
}

function withValue(entry: unknown, dataOf: (name: unknown) => Variables | undefined): unknown {
  const read = attempt(() => {
    const { name, valueFrom } = entry as Entry;
    const { configMapKeyRef } = isMap(valueFrom) ? valueFrom : {};
    if (!isMap(configMapKeyRef)) return undefined;
    const value = dataOf(configMapKeyRef.name)?.get(String(configMapKeyRef.key));
    return value === undefined ? undefined : { name, value };
  });
  return ("value" in read && read.value) || entry;
}
