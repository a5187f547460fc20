import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../sdk/kubernetes/manifest.ts";
import { generatedNames } from "../sdk/topology/generated-names.ts";

interface Claim {
  readonly component: pulumi.Resource;
  readonly name: string;
  readonly parent: pulumi.Resource | undefined;
}

/**
 * Who makes which object, by program and provider. The monitor connection stands for the program: there is one a
 * run, and programs that run in one process side by side have one each. Without it nothing is created.
 */
const programs = new WeakMap<
  object,
  Map<pulumi.ProviderResource | undefined, Map<string, Claim>>
>();

/**
 * Claims the names that a component's objects, and the controllers that act on them, will use. Two services `a`
 * with role `b-c` and `a-b` with role `c` would otherwise overwrite each other's LeaderWorkerSets.
 *
 * @throws RunError if another component of the program claimed one of them with the same provider
 */
export function claimNames(
  component: pulumi.Resource,
  name: string,
  parent: pulumi.Resource | undefined,
  manifests: readonly Manifest[],
): void {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined) return;
  const taken = namesOf(program, component.getProvider("kubernetes::"));
  const claim: Claim = { component, name, parent };
  for (const manifest of manifests) {
    for (const object of generatedNames(manifest)) {
      const other = taken.get(object);
      if (other !== undefined && !sameResource(other, claim)) throw collision(object, other, claim);
      taken.set(object, claim);
    }
  }
}

function namesOf(program: object, provider: pulumi.ProviderResource | undefined) {
  const providers = programs.get(program) ?? new Map<typeof provider, Map<string, Claim>>();
  programs.set(program, providers);
  const taken = providers.get(provider) ?? new Map<string, Claim>();
  providers.set(provider, taken);
  return taken;
}

/** One name under one parent is one resource; Pulumi itself refuses to register it twice. */
const sameResource = (a: Claim, b: Claim) => a.name === b.name && a.parent === b.parent;

function collision(object: string, first: Claim, second: Claim): Error {
  return new pulumi.RunError(
    `InferenceService "${second.name}": makes ${object}, which InferenceService "${first.name}" makes too; ` +
      "allowed: each object once in a program, namespace and provider. " +
      "Change metadata.name, metadata.namespace or a role's name of one of them, or give them different providers.",
  );
}
