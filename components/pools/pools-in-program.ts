import * as pulumi from "@pulumi/pulumi";

/** A pool of the program, and what it selects. */
export interface SelectingPool {
  /** `LLMServerPool "llama"`. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Pools by program and provider, as with names: the monitor connection stands for the program. */
const programs = new WeakMap<object, Map<pulumi.ProviderResource | undefined, SelectingPool[]>>();

/**
 * Notes what a pool selects, and refuses a second one that could select the same pod: a pod in two pools is picked by
 * two pickers that do not know of each other. Labels of one key with two values keep pools apart.
 *
 * @throws RunError naming both pools
 */
export function claimPods(component: pulumi.Resource, pool: SelectingPool): void {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined) return;
  const provider = component.getProvider("kubernetes::");
  const providers = programs.get(program) ?? new Map<typeof provider, SelectingPool[]>();
  programs.set(program, providers);
  const pools = providers.get(provider) ?? [];
  providers.set(provider, pools);
  const other = pools.find((known) => known.name !== pool.name && mayMeet(known, pool));
  if (other !== undefined) throw overlap(other, pool);
  pools.push(pool);
}

/** Whether a pod can have the labels of both. */
export function mayMeet(a: SelectingPool, b: SelectingPool): boolean {
  return (
    a.namespace === b.namespace &&
    Object.entries(a.labels).every(
      ([key, value]) => b.labels[key] === undefined || b.labels[key] === value,
    )
  );
}

function overlap(first: SelectingPool, second: SelectingPool): Error {
  const words = ({ labels }: SelectingPool) =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
  return new pulumi.RunError(
    `${second.title}: selects ${words(second)}, and ${first.title} selects ${words(first)} in the same namespace, ` +
      "so that a pod could be in both; allowed: pools that share no pod. " +
      "Give both selectors one label in common with a different value in each.",
  );
}
