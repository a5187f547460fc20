import * as pulumi from "@pulumi/pulumi";
import { groupOf, type Manifest } from "../../kubernetes/values/manifest.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";

/**
 * Definitions of this project's kinds that a program installs, and whether it created objects of these kinds before.
 */
interface Program {
  readonly definitions: pulumi.Resource[];
  hasObjects: boolean;
}

/** Definitions by program and provider. The monitor connection identifies the program, as in names-in-use.ts. */
const programs = new WeakMap<object, Map<pulumi.ProviderResource | undefined, Program>>();

function programOf(component: pulumi.Resource): Program {
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined) return { definitions: [], hasObjects: false };
  const provider = component.getProvider("kubernetes::");
  const providers = programs.get(monitor) ?? new Map<typeof provider, Program>();
  programs.set(monitor, providers);
  const program = providers.get(provider) ?? { definitions: [], hasObjects: false };
  providers.set(provider, program);
  return program;
}

/** Records definitions, so that objects of their kinds that the program creates later wait for them. */
export function noteDefinitions(
  component: pulumi.Resource,
  definitions: readonly pulumi.Resource[],
): void {
  const program = programOf(component);
  program.definitions.push(...definitions);
  if (!program.hasObjects) return;
  void pulumi.log.warn(
    "is created after objects of its kinds, which do not wait for it. The first `pulumi up` fails on a cluster " +
      "without these kinds. Create it before them, or give them `dependsOn`.",
    component,
  );
}

const isOwnKind = ({ apiVersion, kind }: Manifest): boolean =>
  ownKinds.some((own) => own.kind === kind && own.group === groupOf(apiVersion));

/**
 * Returns the definitions that an object of a component waits for: the ones of this project's kinds that the program
 * installs.
 */
export function definitionsFor(
  component: pulumi.Resource,
  manifest: Manifest,
): readonly pulumi.Resource[] {
  if (!isOwnKind(manifest)) return [];
  const program = programOf(component);
  program.hasObjects = true;
  return program.definitions;
}
