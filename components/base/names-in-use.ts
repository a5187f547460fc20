import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { generatedNames } from "../../sdk/topology/generated-names.ts";

interface Claim {
  readonly component: pulumi.Resource;
  /** Title in errors, such as `InferenceService "deepseek"`. */
  readonly title: string;
  readonly name: string;
  readonly parent: pulumi.Resource | undefined;
}

/**
 * Components that create objects, by program and provider. The monitor connection identifies the program: each run has
 * a separate connection, even if several programs run concurrently in one process. Without it no resource is created.
 */
const programs = new WeakMap<
  object,
  Map<pulumi.ProviderResource | undefined, Map<string, Claim>>
>();

/**
 * Claims the names that a component's objects, and the controllers that act on them, will use. Otherwise, service `a`
 * with role `b-c` and service `a-b` with role `c` would overwrite each other's LeaderWorkerSets.
 *
 * @throws RunError if another component of the program claimed one of them with the same provider
 */
export function claimNames(
  component: pulumi.Resource,
  name: string,
  parent: pulumi.Resource | undefined,
  manifests: readonly Manifest[],
): void {
  claim(component, name, parent, manifests.flatMap(generatedNames), collision);
}

/**
 * Claims a model name on a pool, if pool and name are known.
 *
 * @throws RunError if another component of the program claimed it with the same provider
 */
export function claimModels(
  component: pulumi.Resource,
  name: string,
  parent: pulumi.Resource | undefined,
  pool: string,
  models: readonly string[],
): void {
  const owners = models.map((model) => `model ${JSON.stringify(model)} on pool ${pool}`);
  claim(component, name, parent, owners, modelCollision);
}

function claim(
  component: pulumi.Resource,
  name: string,
  parent: pulumi.Resource | undefined,
  things: readonly string[],
  refusal: (thing: string, first: Claim, second: Claim) => Error,
): void {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined) return;
  const taken = namesOf(program, component.getProvider("kubernetes::"));
  const claim: Claim = { component, title: `${kindOf(component)} "${name}"`, name, parent };
  for (const thing of things) {
    const other = taken.get(thing);
    if (other !== undefined && !sameResource(other, claim)) throw refusal(thing, other, claim);
    taken.set(thing, claim);
  }
}

const kindOf = (component: pulumi.Resource) =>
  String((component as { __pulumiType?: unknown }).__pulumiType)
    .split(":")
    .at(-1);

function namesOf(program: object, provider: pulumi.ProviderResource | undefined) {
  const providers = programs.get(program) ?? new Map<typeof provider, Map<string, Claim>>();
  programs.set(program, providers);
  const taken = providers.get(provider) ?? new Map<string, Claim>();
  providers.set(provider, taken);
  return taken;
}

/** A name under one parent is one resource, which Pulumi itself refuses to register twice. */
const sameResource = (a: Claim, b: Claim) =>
  a.name === b.name && a.parent === b.parent && kindOf(a.component) === kindOf(b.component);

function collision(object: string, first: Claim, second: Claim): Error {
  return new pulumi.RunError(
    `${second.title}: creates ${object}, which ${first.title} also creates; ` +
      "allowed: each object once in a program, namespace and provider. " +
      `${renamed(second.component)} of one of them, or give them different providers.`,
  );
}

/** Returns the setting that makes the names of two components' objects differ. The names of controllers are fixed. */
const renamed = (component: pulumi.Resource): string =>
  ["ClusterSet", "ClusterSetMember", "InferenceControllers"].includes(kindOf(component) ?? "")
    ? "Change metadata.namespace"
    : "Change metadata.name, metadata.namespace or a role's name";

function modelCollision(owner: string, first: Claim, second: Claim): Error {
  return new pulumi.RunError(
    `${second.title}: registers ${owner}, which ${first.title} also registers; ` +
      "allowed: each name once on a pool, since the older object would get all of its requests. " +
      "Rename the model in one of them, or merge the two.",
  );
}
