import { createHash } from "node:crypto";
import { join } from "node:path";
import { withImages } from "../../kubernetes/registry/pod-images.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import { manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import { type PrerequisiteName, prerequisites } from "../../sdk/platform/prerequisites.ts";
import { refuseLink } from "../output/own-files.ts";
import { formatYaml, formatYamlStream } from "../output/yaml.ts";
import { filesOf } from "../render/render.ts";
import { makeFolder, writeFolder } from "../render/write-folder.ts";

/** The objects of a bundle by folder; the folders are applied in this order. */
export interface BundleObjects {
  readonly prerequisites: ReadonlyMap<PrerequisiteName, readonly Manifest[]>;
  readonly crds: readonly Manifest[];
  readonly manifests: readonly Manifest[];
}

export const bundleObjects = (
  manifests: readonly Manifest[],
  names: readonly PrerequisiteName[],
): BundleObjects => ({
  prerequisites: new Map(names.map((name) => [name, manifestsOfPrerequisite(name)])),
  crds: ownCrds() as unknown as Manifest[],
  manifests,
});

export const allObjects = ({
  prerequisites: needed,
  crds,
  manifests,
}: BundleObjects): Manifest[] => [...[...needed.values()].flat(), ...crds, ...manifests];

/** Returns the text of each file, by folder and name. */
export function bundleFiles(
  { prerequisites: needed, crds, manifests }: BundleObjects,
  image: (image: string) => string,
): Record<"prerequisites" | "crds" | "manifests", Map<string, string>> {
  const written = (objects: readonly Manifest[]) => objects.map((each) => withImages(each, image));
  return {
    prerequisites: new Map(
      [...needed].map(([name, objects], at) => [
        `${at + 1}-${prerequisites[name].folder}.yaml`,
        formatYamlStream(written(objects)),
      ]),
    ),
    crds: new Map(crds.map((crd) => [`${crd.metadata.name}.yaml`, formatYaml(crd)])),
    manifests: filesOf(written(manifests), { format: "yaml", kustomization: false }),
  };
}

/**
 * Writes the files into their folders, and removes the files that an earlier run wrote and this run does not.
 *
 * @returns SHA-256 of each file, by path in the bundle
 * @throws UsageError before it changes a folder, if a file in it was edited
 */
export async function writeBundleFiles(
  folder: string,
  files: ReturnType<typeof bundleFiles>,
  { force }: { force: boolean },
): Promise<Record<string, string>> {
  await makeFolder(folder);
  for (const name of Object.keys(files)) await refuseLink(join(folder, name));
  const digests: Record<string, string> = {};
  for (const [name, texts] of Object.entries(files)) {
    await writeFolder(join(folder, name), texts, { force });
    for (const [file, text] of texts)
      digests[`${name}/${file}`] = createHash("sha256").update(text).digest("hex");
  }
  return digests;
}
