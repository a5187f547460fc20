import {
  type AnalyzedResource,
  isMap,
  isSecret,
  isUnknown,
  type LoadedProject,
  mapValue,
  memoryState,
  openStack,
  parseUrn,
  type StackOptions,
} from "../../engine/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

export interface RenderedProgram {
  /** Kubernetes objects, in the order of creation. */
  readonly manifests: readonly Manifest[];
  /** Types of the resources of other providers, with their number. */
  readonly omitted: ReadonlyMap<string, number>;
}

/**
 * Returns the Kubernetes objects of a Pulumi program, from a preview of the local engine: without a login, a state or a
 * cluster.
 *
 * @throws UsageError with every reason why the objects cannot be manifests
 */
export async function renderProgram(
  project: Omit<LoadedProject, "program"> & Pick<StackOptions, "program">,
  terminal: Terminal,
): Promise<RenderedProgram> {
  const resources: AnalyzedResource[] = [];
  const stack = openStack({
    ...project,
    state: memoryState(),
    offline: true,
    analyzer: {
      async analyze(resource) {
        resources.push(resource);
        return [];
      },
    },
    onEvent(event) {
      if (event.kind === "program-output") (terminal.err.pass ?? terminal.err.write)(event.text);
    },
  });
  const { diagnostics } = await stack.preview();
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join("\n"));
  const objects = resources.filter(isObject);
  const problems = [
    ...providerProblems(objects),
    ...objects.flatMap((each) => [...problemsOf(each)]),
  ];
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const others = resources.filter((each) => !isObject(each) && needsPulumi(each));
  return {
    manifests: objects.map(manifestOf),
    omitted: new Map(
      [...Map.groupBy(others, ({ type }) => type)].map(([type, all]) => [type, all.length]),
    ),
  };
}

/** Whether a resource is a Kubernetes object, and not a Helm release, a component or a provider. */
const isObject = ({ type, properties: { apiVersion, kind } }: AnalyzedResource): boolean =>
  type.startsWith("kubernetes:") && typeof apiVersion === "string" && typeof kind === "string";

/** Components and providers have nothing to apply. Only types with a module and a slash are of a provider. */
const needsPulumi = ({ type }: AnalyzedResource): boolean =>
  !type.startsWith("pulumi:") && (type.startsWith("kubernetes:helm.sh") || type.includes("/"));

function* problemsOf(resource: AnalyzedResource): Iterable<string> {
  const { properties, urn } = resource;
  const { metadata } = properties as { metadata?: Metadata };
  const { name } = parseUrn(urn);
  const where = `${properties.kind} ${isUnknown(metadata?.name) ? name : (metadata?.name ?? name)}`;
  if (metadata?.annotations?.["pulumi.com/autonamed"] === "true") {
    yield `${where}: has a random name that Pulumi generates; set metadata.name, so that every render has the same name`;
  }
  for (const path of pathsOf(properties, isUnknown)) {
    yield `${where}: ${path} is known only after a deployment; set a value that the program contains`;
  }
  for (const path of pathsOf(properties, isSecret)) {
    yield `${where}: ${path} is a secret, which manifests must not contain; create the Secret in the cluster and refer to it by its name`;
  }
}

/** Manifests are for one cluster. */
function* providerProblems(objects: readonly AnalyzedResource[]): Iterable<string> {
  const providers = new Set(objects.map(({ provider = "" }) => provider.split("::").at(-2) ?? ""));
  if (providers.size > 1)
    yield `the objects have ${providers.size} Kubernetes providers (${[...providers].join(", ")}), and manifests are for one cluster; render a program for each cluster`;
}

/** Returns the paths of the matching values. */
function pathsOf(value: unknown, matches: (value: unknown) => boolean, path = ""): string[] {
  if (matches(value)) return [path];
  if (Array.isArray(value))
    return value.flatMap((item, at) => pathsOf(item, matches, `${path}[${at}]`));
  if (!isMap(value) || isSecret(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, matches, path === "" ? key : `${path}.${key}`),
  );
}

/** Returns an object without what only Pulumi reads. */
function manifestOf({ properties }: AnalyzedResource): Manifest {
  const {
    apiVersion,
    kind,
    metadata = {},
    ...rest
  } = plain(properties) as Manifest & {
    readonly __defaults?: unknown;
  };
  const { __defaults: _, ...content } = rest;
  const { annotations = {}, ...others } = metadata as Metadata;
  const kept = Object.entries(annotations).filter(([key]) => !key.startsWith("pulumi.com/"));
  return {
    apiVersion,
    kind,
    metadata: present({
      ...others,
      annotations: kept.length === 0 ? undefined : Object.fromEntries(kept),
    }) as Manifest["metadata"],
    ...content,
  };
}

/** Returns a copy, which later changes of the engine do not reach. */
const plain = (value: unknown): unknown => mapValue(value, () => undefined);

interface Metadata {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
