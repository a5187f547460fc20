import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { runCommandLine } from "../../cli/program.ts";
import { RegistryClient } from "../../kubernetes/registry/client.ts";
import { imagesOf } from "../../kubernetes/registry/pod-images.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { installCrd } from "../../testing/api/install-crds.ts";
import type { Crd } from "../../testing/api/upstream-crds.ts";
import { objectPath } from "../../testing/object-path.ts";
import { startImageRegistry } from "../../testing/registries/image-registry.ts";

/**
 * Installs a bundle in a network namespace that has a loopback interface only: pushes it to a registry, applies every
 * object to an API server, and pulls each image of the stored objects by its digest. Prints the result as JSON.
 */

export interface OfflineInstall {
  /** Reason why an address outside could not be reached. */
  readonly outside: string;
  readonly push: { readonly code: number; readonly err: string };
  /** Number of applied objects by folder. */
  readonly applied: Readonly<Record<string, number>>;
  /** Images of the stored objects, and the contents that their registry has of each. */
  readonly images: Readonly<Record<string, number>>;
}

const [, , bundle = "", port = "", outsideAddress = ""] = process.argv;
const folders = ["prerequisites", "crds", "manifests"];

const outside = await fetch(outsideAddress).then(
  ({ status }) => `answered ${status}`,
  (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
);
const registry = await startImageRegistry(Number(port));
const cluster = await startCluster();
try {
  const push = { code: 0, err: "" };
  push.code = await runCommandLine(["push", bundle, "--registry", `${registry.address}/air`], {
    out: { write: () => {}, colour: false },
    err: {
      write(text) {
        push.err += text;
      },
      colour: false,
    },
    readStdin: async () => "",
  });
  const objects = folders.flatMap((folder) => read(folder).map((object) => ({ folder, object })));
  // Their programs do not run here, so their webhooks would refuse every object.
  const isWebhook = ({ object }: { object: Manifest }) => /WebhookConfig/.test(object.kind);
  const inOrder = [...objects.filter((each) => !isWebhook(each)), ...objects.filter(isWebhook)];
  const stored: Manifest[] = [];
  for (const { object } of inOrder) {
    if (object.kind === "CustomResourceDefinition") {
      await installCrd(cluster, object as unknown as Crd);
    } else {
      await cluster.apply(objectPath(object), object);
      stored.push(await cluster.request("GET", objectPath(object)));
    }
  }
  const applied = Object.fromEntries(
    folders.map((name) => [name, objects.filter(({ folder }) => folder === name).length]),
  );
  const client = new RegistryClient();
  const images: Record<string, number> = {};
  for (const image of imagesOf(stored)) images[image] = await pulled(client, image);
  process.stdout.write(JSON.stringify({ outside, push, applied, images } satisfies OfflineInstall));
} finally {
  await cluster.stop();
  await registry.stop();
}

function read(folder: string): Manifest[] {
  return readdirSync(join(bundle, folder))
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => parseAllDocuments(readFileSync(join(bundle, folder, name), "utf8")))
    .map((document) => document.toJS() as Manifest);
}

/** Pulls an image by its digest, and returns the number of its contents. */
async function pulled(client: RegistryClient, image: string): Promise<number> {
  const from = parseReference(image);
  if (from.digest === undefined) throw new Error(`${image} has no digest`);
  return countContents(from.digest);

  async function countContents(digest: string): Promise<number> {
    const { bytes } = await client.manifest(from, digest);
    const { manifests = [], config, layers = [] } = JSON.parse(String(Buffer.from(bytes)));
    let count = 1;
    for (const each of manifests) count += await countContents(each.digest);
    for (const each of config === undefined ? [] : [config, ...layers]) {
      await (await client.blob(from, each.digest)).arrayBuffer();
      count += 1;
    }
    return count;
  }
}
