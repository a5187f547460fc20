import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap, isSecret, isUnknown, type RecordedResource } from "../../recorder/index.ts";
import { UsageError } from "../exit-code.ts";
import { type Metadata, manifestOf } from "../input/input.ts";
import {
  isObject,
  type LocalProject,
  leftOut,
  previewLocally,
  providerProblems,
  resourceName,
} from "../input/program.ts";
import type { Preview, Uncertain } from "../input/pulumi-preview.ts";
import type { Terminal } from "../terminal.ts";

export interface RenderedProgram {
  /** Kubernetes objects, in the order of creation. */
  readonly manifests: readonly Manifest[];
  /** Types of the resources of other providers, with their number. */
  readonly omitted: ReadonlyMap<string, number>;
}

/** Returns the Kubernetes objects of a project, without a cluster. */
export const renderProgram = async (
  project: LocalProject,
  terminal: Pick<Terminal, "err">,
): Promise<RenderedProgram> => renderResources(await previewLocally(project, terminal));

/**
 * Returns the Kubernetes objects of a preview.
 *
 * @throws UsageError with every reason why the objects cannot be manifests
 */
export function renderPreview(
  { resources, uncertain }: Preview,
  { err }: Pick<Terminal, "err">,
): RenderedProgram {
  const [open, known] = [false, true].map((is) =>
    uncertain.filter(({ isOfComponents }) => isOfComponents === is),
  ) as [Uncertain[], Uncertain[]];
  if (open.length > 0)
    throw new UsageError(
      open
        .map(
          ({ text }) =>
            `${text}, which the update changes. The Pulumi CLI omits values that are not known yet; write the value, or render after \`pulumi up\``,
        )
        .join("\n"),
    );
  for (const each of known) err.write(leftOut(each));
  return renderResources(resources);
}

/**
 * Returns the Kubernetes objects of a program from the resources of its preview.
 *
 * @throws UsageError with every reason why the objects cannot be manifests
 */
function renderResources(resources: readonly RecordedResource[]): RenderedProgram {
  const objects = resources.filter(isObject);
  const problems = [
    ...providerProblems(objects, "render"),
    ...objects.flatMap((each) => [...problemsOf(each)]),
  ];
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const others = resources.filter((each) => !isObject(each) && needsPulumi(each));
  return {
    manifests: objects.map((each) => manifestOf(each, undefined)),
    omitted: new Map(
      [...Map.groupBy(others, ({ type }) => type)].map(([type, all]) => [type, all.length]),
    ),
  };
}

/** Components and providers have nothing to apply. Only types with a module and a slash are of a provider. */
const needsPulumi = ({ type }: RecordedResource): boolean =>
  !type.startsWith("pulumi:") && (type.startsWith("kubernetes:helm.sh") || type.includes("/"));

function* problemsOf(resource: RecordedResource): Iterable<string> {
  const { properties } = resource;
  const { metadata } = properties as { metadata?: Metadata };
  const name = resourceName(resource);
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
