import { isDeepStrictEqual } from "node:util";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import type { RecordedResource } from "../../recorder/index.ts";
import { isMap, isSecret, isUnknown, mapValue } from "../../recorder/index.ts";
import { planDocument } from "../../sdk/plan/document.ts";
import type { PlanOptions } from "../../sdk/plan/options.ts";
import type { Terminal } from "../terminal.ts";
import { readAll } from "./documents.ts";
import { type InputObject, type ReadObjectsOptions, readObjects } from "./objects.ts";
import { isObject, type Program, previewResources, programIn } from "./program.ts";
import { renderedParts } from "./rendered-parts.ts";

/** An object of the input. */
export interface InputDocument extends InputObject {
  /** Whether the plan replaces it: it is of one of this project's kinds, and no object of the input is its plan. */
  readonly isPlanned: boolean;
}

/** Contents of the paths of a command: a program, or documents. */
export type Input =
  | { readonly program: Program; readonly documents?: undefined }
  | { readonly program?: undefined; readonly documents: readonly InputDocument[] };

export interface InputOptions extends ReadObjectsOptions {
  /** The command, for messages. */
  readonly verb: string;
  /** Stack whose configuration a program reads. */
  readonly stack: string;
}

/**
 * Reads the input of every command: the folder of a Pulumi program; or files, folders, kustomizations and standard input
 * with objects of any kind, such as the output of `render`.
 *
 * @throws UsageError for unreadable input
 * @throws ValidationError with every document in named files that is not an object
 */
export async function readInput(
  paths: readonly string[],
  { verb, stack, ...reading }: InputOptions,
  terminal: Pick<Terminal, "readStdin" | "err">,
): Promise<Input> {
  const program = programIn(paths, { verb, stack });
  if (program !== undefined) return { program };
  return { documents: await readDocuments(paths, terminal, reading) };
}

/** Reads the objects of files, folders, kustomizations and standard input. */
export const readDocuments = async (
  paths: readonly string[],
  terminal: Pick<Terminal, "readStdin" | "err">,
  reading: ReadObjectsOptions = {},
): Promise<InputDocument[]> => renderedParts(await readObjects(paths, terminal, reading));

/** Returns the plan of a document, or the document itself if it is not planned. */
export const objectsOf = (
  { isPlanned, value }: InputDocument,
  options: PlanOptions = {},
): readonly Manifest[] =>
  isPlanned ? asWritten(value, planDocument(value, options).manifests) : [value as Manifest];

/** Keeps the order of an object's fields if the object is its own plan, so that rendered objects stay as they are. */
export const asWritten = (value: unknown, manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.length === 1 && isDeepStrictEqual(manifests[0], value)
    ? [value as Manifest]
    : manifests;

/**
 * Returns all objects of the input.
 *
 * @param unknown replaces each value of a program that only an update knows
 * @throws ValidationError with every problem of every document
 */
export async function plannedObjects(
  input: Input,
  terminal: Pick<Terminal, "err">,
  { unknown, ...options }: PlanOptions & { readonly unknown?: unknown } = {},
): Promise<Manifest[]> {
  if (input.program === undefined)
    return readAll(input.documents, (each) => objectsOf(each, options)).flat();
  const resources = await previewResources(input.program, terminal);
  return resources.filter(isObject).map((resource) => manifestOf(resource, unknown));
}

export interface Metadata {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Returns an object of a program without the fields that only Pulumi reads, and without the marks of secrets.
 *
 * @param unknown replaces each value that only an update knows
 */
export function manifestOf({ properties }: RecordedResource, unknown: unknown): Manifest {
  const {
    apiVersion,
    kind,
    metadata = {},
    ...rest
  } = plain(properties, unknown) as Manifest & {
    readonly __defaults?: unknown;
  };
  const { __defaults: _, ...content } = rest;
  const { annotations = {}, ...others } = (isMap(metadata) ? metadata : {}) as Metadata;
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

/** Returns a copy, which later changes of the recording do not reach. */
const plain = (value: unknown, unknown: unknown): unknown =>
  mapValue(value, (each) => {
    if (isSecret(each)) return { value: plain(each.value, unknown) };
    return isUnknown(each) ? { value: unknown } : undefined;
  });
