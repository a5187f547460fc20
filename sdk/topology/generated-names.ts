import { identityOf, type Manifest } from "../../kubernetes/values/manifest.ts";

/** Names of objects that controllers create for planned objects. */

interface WorkloadShape {
  readonly name: string;
  readonly replicas: number;
  readonly size: number;
}

/**
 * Returns the names that the LeaderWorkerSet controller derives from a LeaderWorkerSet: the headless Service, the
 * StatefulSets of leaders and of each group's workers, and the pods. Two LeaderWorkerSets with a common name silently
 * share one object.
 */
export function namesOfWorkload({ name, replicas, size }: WorkloadShape): string[] {
  const names = [`Service/${name}`, `StatefulSet/${name}`];
  for (let group = 0; group < replicas; group += 1) {
    const leader = `${name}-${group}`;
    names.push(`Pod/${leader}`);
    if (size > 1) names.push(`StatefulSet/${leader}`);
    for (let worker = 1; worker < size; worker += 1) names.push(`Pod/${leader}-${worker}`);
  }
  return names;
}

/** Returns every name that a manifest uses in its namespace: its own, and the names that its controller derives. */
export function generatedNames(manifest: Manifest): string[] {
  if (manifest.kind !== "LeaderWorkerSet") return [identityOf(manifest), ...serviceName(manifest)];
  const { replicas, leaderWorkerTemplate } = manifest.spec as {
    replicas: number;
    leaderWorkerTemplate: { size: number };
  };
  const shape = { name: manifest.metadata.name, replicas, size: leaderWorkerTemplate.size };
  const { namespace } = manifest.metadata;
  return [identityOf(manifest), ...namesOfWorkload(shape).map((name) => `${namespace}/${name}`)];
}

const serviceName = ({ apiVersion, kind, metadata }: Manifest): string[] =>
  apiVersion === "v1" && kind === "Service"
    ? [`${metadata.namespace}/Service/${metadata.name}`]
    : [];

/** Two owners that would create the same object. */
export interface NameCollision<Owner> {
  /** `namespace/Kind/name`, or the identity of a planned object. */
  readonly name: string;
  readonly first: Owner;
  readonly second: Owner;
}

/** Returns the first name that each pair of owners would both create. */
export function nameCollisions<Owner>(
  claims: Iterable<{ owner: Owner; names: Iterable<string> }>,
): NameCollision<Owner>[] {
  const owners = new Map<string, Owner>();
  const collisions: NameCollision<Owner>[] = [];
  for (const { owner, names } of claims) {
    const met = new Set<Owner>();
    for (const name of names) {
      const first = owners.get(name);
      if (first === undefined) {
        owners.set(name, owner);
      } else if (first !== owner && !met.has(first)) {
        met.add(first);
        collisions.push({ name, first, second: owner });
      }
    }
  }
  return collisions;
}
