import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { identityOf, type Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import { installStages } from "../../sdk/platform/manifests.ts";
import {
  type PrerequisiteName,
  prerequisiteNames,
  prerequisites,
} from "../../sdk/platform/prerequisites.ts";
import { go, moduleSource } from "../../testing/processes/go-modules.ts";

/** Returns the objects of every prerequisite, from the sources of the pinned Go modules. */
export async function prerequisiteObjects(): Promise<Record<PrerequisiteName, Manifest[]>> {
  const objects: Partial<Record<PrerequisiteName, Manifest[]>> = {};
  for (const name of prerequisiteNames) {
    const all = (await sources[name]()).map((each) => withReleasedImages(name, each));
    objects[name] = inOrder(all).map(withoutDescriptions);
  }
  return objects as Record<PrerequisiteName, Manifest[]>;
}

const sources: Record<PrerequisiteName, () => Promise<Manifest[]>> = {
  gatewayApi: async () => read(await moduleSource("gateway-api"), "config/crd/standard/*.yaml"),
  // This project's own CRDs include some kinds of the extension, with more fields.
  inferenceExtension: async () => {
    const own = new Set(ownCrds().map(({ metadata }) => metadata.name));
    const folder = await moduleSource("inference-extension");
    return read(folder, "config/crd/bases/*.yaml").filter(
      ({ metadata }) => !own.has(metadata.name),
    );
  },
  leaderWorkerSet: async () => kustomized(await moduleSource("lws"), "default"),
  volcano: async () => read(await moduleSource("volcano"), "installer/volcano-development.yaml"),
  keda: async () => kustomized(await moduleSource("keda"), "default"),
};

export function read(folder: string, pattern: string): Manifest[] {
  return globSync(pattern, { cwd: folder })
    .sort()
    .flatMap((file) => parse(readFileSync(join(folder, file), "utf8")));
}

const parse = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((object) => object !== null);

/** Builds a kustomization below `config`. Kustomize reads no files of Go's module cache, which are links to it. */
async function kustomized(folder: string, target: string): Promise<Manifest[]> {
  const scratch = mkdtempSync(join(tmpdir(), "pulumi-inference-kustomize-"));
  try {
    cpSync(join(folder, "config"), scratch, { recursive: true });
    return parse(await go("kustomize", ["tool", "kustomize", "build", join(scratch, target)]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Images of releases. The modules name images of development builds, which the projects replace when they publish. */
const releasedImages: Partial<Record<PrerequisiteName, (image: string) => string>> = {
  leaderWorkerSet: () => `registry.k8s.io/lws/lws:v${prerequisites.leaderWorkerSet.version}`,
  volcano: (image) => `${nameOf(image)}:v${prerequisites.volcano.version}`,
  keda: (image) => `${nameOf(image)}:${prerequisites.keda.version}`,
};

const nameOf = (image: string) => image.replace(/:[^:/]+$/, "");

function withReleasedImages(name: PrerequisiteName, object: Manifest): Manifest {
  const released = releasedImages[name];
  if (released === undefined || object.kind === "CustomResourceDefinition") return object;
  return mapped(object, (key, value) =>
    key === "image" && typeof value === "string" ? released(value) : value,
  ) as Manifest;
}

/** Descriptions are nine tenths of the packed bytes, and the API server does not read them. */
function withoutDescriptions(object: Manifest): Manifest {
  if (object.kind !== "CustomResourceDefinition") return object;
  return mapped(object, (key, value) =>
    key === "description" && typeof value === "string" ? undefined : value,
  ) as Manifest;
}

/** Returns a copy with the values that `change` returns; undefined removes a value. */
function mapped(value: unknown, change: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, mapped(change(key, each), change)] as const)
      .filter(([, each]) => each !== undefined),
  );
}

const order = installStages.flat();

function inOrder(objects: readonly Manifest[]): Manifest[] {
  const unknown = objects.find(({ kind }) => !order.includes(kind));
  if (unknown !== undefined)
    throw new Error(`${identityOf(unknown)}: add its kind to installStages`);
  return order.flatMap((kind) => objects.filter((each) => each.kind === kind));
}
