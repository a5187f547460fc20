import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import type * as Recorder from "../../recorder/index.ts";
import type * as Sdk from "../../sdk/index.ts";

/**
 * Prints, as JSON on standard output, every object that a checkout plans: for given specs, for the stories, and for
 * each program of the examples. The arguments are the checkout and a JSON file of specs. `compare-plans` runs it once
 * per checkout, so it imports the checkout's packages by their public exports.
 */
const [checkout = "", specs = ""] = process.argv.slice(2);
const load = <Module>(path: string) =>
  import(pathToFileURL(join(checkout, path)).href) as Promise<Module>;
const sdk = await load<typeof Sdk>("sdk/index.ts");
const recorder = await load<typeof Recorder>("recorder/index.ts");

/** Configuration that programs of the examples require from their users. */
const config: Record<string, Record<string, string>> = {
  ".": { manifest: "test/fixtures/stories/story-3.yaml" },
  "examples/multi-cluster-endpoint": { kubeconfig: "{}" },
  "examples/multi-cluster-parent/set": { kubeconfig: "{}" },
  "examples/multi-cluster-parent/importer": { exporter: "organization/multi-cluster-exporter/dev" },
};

const objects: Record<string, unknown> = {};

const keyOf = ({ kind, metadata }: Sdk.Manifest) =>
  `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

function record(source: string, manifests: readonly Sdk.Manifest[]): void {
  for (const manifest of manifests) objects[`${source}: ${keyOf(manifest)}`] = manifest;
}

const services: Sdk.InferenceServiceInput[] = JSON.parse(readFileSync(specs, "utf8"));
services.forEach((service, at) => {
  try {
    record(`service ${at}`, sdk.planInferenceService(service));
  } catch (error) {
    objects[`service ${at}: refused`] = String(error);
  }
});

for (const story of globSync("test/fixtures/stories/*.yaml", { cwd: checkout }).sort()) {
  const document = parse(readFileSync(join(checkout, story), "utf8"));
  record(story, sdk.planDocument(document).manifests);
}

for (const project of globSync(["Pulumi.yaml", "examples/**/Pulumi.yaml"], {
  cwd: checkout,
  exclude: (name) => ["node_modules", "languages", "clouds"].includes(basename(name)),
}).sort()) {
  const folder = dirname(project);
  const loaded = await recorder.loadProject(join(checkout, folder), "dev");
  const { resources, diagnostics } = await recorder.recordProgram({
    ...loaded,
    config: {
      ...loaded.config,
      ...Object.fromEntries(
        Object.entries(config[folder] ?? {}).map(([key, value]) => [
          `${loaded.project}:${key}`,
          value,
        ]),
      ),
    },
  });
  for (const { urn, type, properties } of resources)
    if (type.startsWith("kubernetes:")) objects[`${folder}: ${urn}`] = properties;
  for (const { severity, message } of diagnostics)
    if (severity === "error") objects[`${folder}: error: ${message}`] = message;
}

process.stdout.write(JSON.stringify(objects));
