import * as pulumi from "@pulumi/pulumi";
import { groupOf, type Manifest } from "../kubernetes/values/manifest.ts";
import { ownKinds } from "../sdk/crds/own-kinds.ts";

/** What a program installs of this project's kinds, and whether objects of them came before. */
interface Program {
  readonly definitions: pulumi.Resource[];
  hasObjects: boolean;
}

/** By program and provider, as with names: the monitor connection stands for the program. */
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

/** Notes definitions, so that objects of their kinds that come later in the program wait for them. */
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

/** The definitions that an object of a component waits for: of this project's kinds those that the program installs. */
export function definitionsFor(
  component: pulumi.Resource,
  manifest: Manifest,
): readonly pulumi.Resource[] {
  if (!isOwnKind(manifest)) return [];
  const program = programOf(component);
  program.hasObjects = true;
  return program.definitions;
}
