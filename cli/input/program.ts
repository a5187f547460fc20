import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { isMap, messageOf } from "../../kubernetes/values/records.ts";
import {
  type LoadedProject,
  loadProject,
  parseUrn,
  type RecordedResource,
  type RecordOptions,
  recordProgram,
} from "../../recorder/index.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { type Preview, previewWithCli, type Uncertain } from "./pulumi-preview.ts";

/** A Pulumi program, with the stack whose configuration it reads. */
export interface Program {
  readonly folder: string;
  readonly stack: string;
  /** Whether the recorder runs it. The Pulumi CLI previews programs in other languages. */
  readonly isLocal: boolean;
}

/** A project for the recorder. */
export type LocalProject = Omit<LoadedProject, "program"> & Pick<RecordOptions, "program">;

/**
 * Returns the program in a folder; undefined if the paths are manifests.
 *
 * @param verb the command, such as `check`, for messages
 * @throws UsageError for a program together with other paths
 */
export function programIn(
  paths: readonly string[],
  { verb, stack }: { readonly verb: string; readonly stack: string },
): Program | undefined {
  const folder = paths.find((path) => path !== "-" && existsSync(join(path, "Pulumi.yaml")));
  if (folder === undefined) return undefined;
  if (paths.length > 1)
    throw new UsageError(`${folder} is a Pulumi program; ${verb} it alone, without other paths`);
  const language = languageOf(join(folder, "Pulumi.yaml"));
  return { folder, stack, isLocal: language === undefined || language === "nodejs" };
}

/** Returns the runtime in a Pulumi.yaml; undefined if it names no runtime, which the recorder reports. */
function languageOf(file: string): string | undefined {
  try {
    const { runtime } = parse(readFileSync(file, "utf8")) ?? {};
    const name = isMap(runtime) ? runtime.name : runtime;
    return typeof name === "string" ? name : undefined;
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
}

/** @throws UsageError if the project cannot be read */
export async function readProgram(folder: string, stack: string): Promise<LoadedProject> {
  try {
    return await loadProject(folder, stack);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/**
 * Returns the resources of a program's preview, in the order of creation, with marks for secrets and for values that
 * only an update knows. A program for Node.js needs no login, no state and no cluster; a program in another language
 * needs the Pulumi CLI with a login and a stack.
 *
 * @throws UsageError if the program fails
 */
export async function previewOf(
  { folder, stack, isLocal }: Program,
  terminal: Pick<Terminal, "err">,
): Promise<Preview> {
  if (!isLocal) return previewWithCli(folder, stack);
  const resources = await previewLocally(await readProgram(folder, stack), terminal);
  return { resources, uncertain: [] };
}

/**
 * Returns the same for commands that can use a preview with missing values. The missing values are listed on standard
 * error.
 */
export async function previewResources(
  program: Program,
  terminal: Pick<Terminal, "err">,
): Promise<readonly RecordedResource[]> {
  const { resources, uncertain } = await previewOf(program, terminal);
  for (const each of uncertain) terminal.err.write(leftOut(each));
  return resources;
}

export const leftOut = ({ text }: Uncertain) =>
  `warning: ${text}; values that only an update knows are left out\n`;

/** Returns the resources that a project registers. */
export async function previewLocally(
  project: LocalProject,
  { err }: Pick<Terminal, "err">,
): Promise<RecordedResource[]> {
  const { resources, diagnostics } = await recordProgram({
    ...project,
    onOutput: err.pass ?? err.write,
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join("\n"));
  return resources;
}

/** Whether a resource is a Kubernetes object, and not a Helm release, a component or a provider. */
export const isObject = ({ type, properties }: RecordedResource): boolean =>
  type.startsWith("kubernetes:") &&
  typeof properties.apiVersion === "string" &&
  typeof properties.kind === "string";

/** Returns the reason why the objects of a program are not for one cluster; empty if they are. */
export function providerProblems(objects: readonly RecordedResource[], verb: string): string[] {
  const providers = new Set(objects.map(({ provider = "" }) => provider.split("::").at(-2) ?? ""));
  if (providers.size <= 1) return [];
  return [
    `the objects have ${providers.size} Kubernetes providers (${[...providers].join(", ")}), and manifests are for one cluster; ${verb} a program for each cluster`,
  ];
}

/** Name of a resource in the program. */
export const resourceName = ({ urn }: RecordedResource): string => parseUrn(urn).name;
