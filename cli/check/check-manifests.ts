import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { AnalyzedResource } from "../../engine/index.ts";
import { Problems } from "../exit-code.ts";
import { type InputManifest, readManifests } from "../input/manifests.ts";
import type { Terminal } from "../terminal.ts";
import type { Outcome, Place } from "./outcome.ts";
import type { PolicyPacks } from "./policy-packs.ts";

/** Every object of manifests, as if it were a resource of one stack. */
export async function checkManifests(
  paths: readonly Input[],
  packs: PolicyPacks,
  terminal: Terminal,
): Promise<Outcome> {
  const places = new Map<string, Place>();
  const resources = (await readInputs(paths, terminal)).map((manifest, at) => {
    const resource = resourceOf(manifest, at);
    places.set(resource.urn, placeOf(manifest));
    return resource;
  });
  const ofResources = await Promise.all(resources.map((resource) => packs.analyze(resource)));
  const ofStack = await packs.analyzeStack(resources);
  const order = new Map(resources.map(({ urn }, at) => [urn, at]));
  const positionOf = (urn: string | undefined) => order.get(urn ?? "") ?? resources.length;
  const findings = [...ofResources.flat(), ...ofStack]
    .sort((a, b) => positionOf(a.urn) - positionOf(b.urn))
    .map(({ urn, ...violation }) => {
      const place = places.get(urn ?? "");
      return { ...violation, ...(place && { place }) };
    });
  return { policies: packs.policies, findings, objects: resources.length, errors: [] };
}

/** A file, a folder of files, or `-`. */
export interface Input {
  readonly path: string;
  readonly isFolder: boolean;
}

interface CheckedManifest extends InputManifest {
  readonly value: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata?: object;
  };
}

const isObject = (manifest: InputManifest): manifest is CheckedManifest => {
  const { apiVersion, kind } = (manifest.value ?? {}) as Record<string, unknown>;
  return typeof apiVersion === "string" && typeof kind === "string";
};

/**
 * All objects of the inputs. A folder may hold files of other tools, which are passed over and named on standard
 * error; a file that is named itself may not.
 */
async function readInputs(
  inputs: readonly Input[],
  { readStdin, err }: Terminal,
): Promise<CheckedManifest[]> {
  const named = inputs.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const folders = inputs.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  const inFolders = (await Promise.all(folders.map(manifestFiles))).flat();
  const own = await readManifests(named, readStdin);
  const others = await readManifests(inFolders, readStdin);
  const wrong = own.filter((manifest) => !isObject(manifest));
  if (wrong.length > 0) throw new Problems(wrong.map(notAnObject));
  for (const { place, file } of others.filter((manifest) => !isObject(manifest)))
    err.write(`${place || file}: no Kubernetes object, passed over\n`);
  return [...own, ...others].filter(isObject);
}

const notAnObject = ({ place, file }: InputManifest) => ({
  place: place || file,
  problem: {
    ...{ code: "shape" as const, path: [], given: "is no Kubernetes object" },
    allowed: "objects with apiVersion and kind",
    fix: "Add them.",
  },
});

/** The YAML and JSON files of a folder and of those in it. */
async function manifestFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(^|[\\/])(node_modules|\.[^./\\][^/\\]*)[\\/]/.test(relative(folder, file)))
    .sort();
}

function placeOf({ place, file, line }: InputManifest): Place {
  return file === "standard input" ? { name: place || file } : { name: place || file, file, line };
}

function resourceOf({ value }: CheckedManifest, at: number): AnalyzedResource {
  const { apiVersion, kind } = value;
  const type = `kubernetes:${apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`}:${kind}`;
  const name = String(at);
  return {
    ...{ urn: `urn:pulumi:check::manifests::${type}::${name}`, type, name, parent: "" },
    properties: value as unknown as Record<string, unknown>,
    dependencies: [],
    propertyDependencies: {},
  };
}
