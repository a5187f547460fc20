import type { Goal, RunHooks } from "../goal.ts";
import { dependenciesOf, fromOutputValues, type PropertyMap } from "../property-value.ts";
import { fromStruct, resource } from "./protos.ts";

type RegisterRequest = InstanceType<typeof resource.RegisterResourceRequest>;
export type TransformOptions = InstanceType<typeof resource.TransformResourceOptions>;

/** A registration while it passes through inheritance and transforms, before it becomes a goal. */
export interface Registration {
  type: string;
  name: string;
  custom: boolean;
  parent: string;
  inputs: PropertyMap;
  propertyDependencies: Record<string, string[]>;
  /** The options in the message that transforms receive and return. */
  options: TransformOptions;
}

export function readRegistration(request: RegisterRequest): Registration {
  refuseUnsupported(request);
  const inputs = fromStruct(request.getObject());
  const dependencies = request.getDependenciesList();
  const named = [...request.getPropertydependenciesMap().entries()].map(
    ([key, value]) => [key, value.getUrnsList()] as const,
  );
  return {
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    parent: request.getParent(),
    inputs,
    // If an SDK sends no property dependencies, every property may depend on all dependencies.
    propertyDependencies: Object.fromEntries(
      named.length > 0 ? named : Object.keys(inputs).map((key) => [key, dependencies]),
    ),
    options: readOptions(request),
  };
}

function readOptions(request: RegisterRequest): TransformOptions {
  const options = new resource.TransformResourceOptions();
  options.setDependsOnList(request.getDependenciesList());
  if (request.hasProtect()) options.setProtect(request.getProtect() ?? false);
  options.setIgnoreChangesList(request.getIgnorechangesList());
  options.setReplaceOnChangesList(request.getReplaceonchangesList());
  options.setVersion(request.getVersion());
  options.setAliasesList(request.getAliasesList());
  options.setProvider(request.getProvider());
  options.setCustomTimeouts(request.getCustomtimeouts());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  if (request.hasRetainondelete()) options.setRetainOnDelete(request.getRetainondelete() ?? false);
  options.setDeletedWith(request.getDeletedwith());
  if (request.getDeletebeforereplacedefined() || request.getDeletebeforereplace()) {
    options.setDeleteBeforeReplace(request.getDeletebeforereplace());
  }
  options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
  for (const [name, reference] of request.getProvidersMap().entries()) {
    options.getProvidersMap().set(name, reference);
  }
  options.setHooks(request.getHooks());
  options.setImport(request.getImportid());
  options.setHideDiffList(request.getHidediffsList());
  options.setReplaceWithList(request.getReplaceWithList());
  options.setReplacementTrigger(request.getReplacementTrigger());
  return options;
}

/** Returns the goal of a registration with final options. */
export function goalOf(
  registration: Registration,
  provider: string,
  runHooks?: RunHooks | undefined,
): Goal {
  const { type, name, custom, parent, options } = registration;
  const propertyDependencies = Object.fromEntries(
    Object.entries(registration.inputs).map(([key, value]) => [
      key,
      [...new Set([...(registration.propertyDependencies[key] ?? []), ...dependenciesOf(value)])],
    ]),
  );
  return {
    type,
    name,
    custom,
    parent,
    provider,
    propertyDependencies,
    inputs: fromOutputValues(registration.inputs),
    dependencies: [
      ...new Set([...options.getDependsOnList(), ...Object.values(propertyDependencies).flat()]),
    ],
    additionalSecretOutputs: options.getAdditionalSecretOutputsList(),
    runHooks,
  };
}

/** Refuses registrations whose resources the recorder cannot know. */
function refuseUnsupported(request: RegisterRequest): void {
  const what = `${request.getType()} ${JSON.stringify(request.getName())}`;
  if (request.getRemote()) {
    throw new Error(
      `${what} is a remote component, which only its provider's plugin can expand, and only the Pulumi CLI runs plugins; use ${insteadOf(request.getType())}, or the Pulumi CLI`,
    );
  }
  if (request.getAliasurnsList().length > 0 || !request.getAliasspecs()) {
    throw new Error(`${what} comes from an SDK older than @pulumi/pulumi 3.270; update it`);
  }
  if (request.getPackageref() !== "") throw unsupported(what, "a parameterized package");
}

function insteadOf(type: string): string {
  if (type.includes(":yaml/v2:"))
    return "the same class of kubernetes.yaml (without v2), or the typed resources";
  return "typed resources or components of your program";
}

export function unsupported(what: string, option: string): Error {
  return new Error(
    `${what}: a program that runs without the Pulumi CLI cannot use ${option}; remove it or use the Pulumi CLI`,
  );
}
