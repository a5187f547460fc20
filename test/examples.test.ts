import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiError } from "../kubernetes/api/api-error.ts";
import { defaultRuntimeImage, type Manifest } from "../sdk/index.ts";
import type { AttachedCluster } from "../testing/api/cluster.ts";
import { installOwnCrds } from "../testing/api/install-crds.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { objectPath } from "../testing/object-path.ts";
import { openStack } from "../testing/programs/pulumi-stack.ts";
import { readDocuments, repositoryRoot } from "../testing/repository.ts";
import { succeeded } from "../testing/succeeded.ts";

/** Every example as a user of the Pulumi CLI runs it: its own process, unbuilt, against an API server. */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
afterAll(() => cluster?.detach());

const live = (manifest: Manifest) => cluster.request<Manifest>("GET", objectPath(manifest));

const open = (dir: string, config: Record<string, string>) =>
  openStack({
    ...{ stack: "test", program: { dir: join(repositoryRoot, dir) }, config },
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });

/** Sizes of models, the image that is not published yet, and the nodes that this cluster does not have. */
const isExpected = ({ severity, message }: { severity: string; message: string }) =>
  severity === "info" ||
  message.includes("pulumi-inference:image") ||
  message.includes("no node has a label that names its accelerator");

/** Up, what is live, a second up, and destroy. */
async function runThrough(dir: string, expected: Manifest[], config: Record<string, string>) {
  const stack = open(dir, config);
  const preview = await stack.preview();
  expect(preview.diagnostics.filter((each) => !isExpected(each))).toEqual([]);
  const up = succeeded(await stack.up());
  expect(up.diagnostics.filter((each) => !isExpected(each))).toEqual([]);
  expect(up.steps.map(({ urn }) => urn).sort()).toEqual(preview.steps.map(({ urn }) => urn).sort());
  for (const manifest of expected) expect(await live(manifest)).toMatchObject(manifest);
  const kubernetes = up.steps.filter(({ type }) => type.startsWith("kubernetes:"));
  expect(kubernetes.length).toBe(expected.length);

  const writes = cluster.writes().length;
  expect((await stack.up()).summary).toEqual({ same: up.steps.length });
  expect((await stack.refresh()).succeeded).toBe(true);
  const since = cluster.writes().slice(writes);
  expect(since.filter(({ dryRun, uri }) => !dryRun && touches(uri, expected))).toEqual([]);

  expect((await stack.destroy()).diagnostics).toEqual([]);
  for (const manifest of expected) {
    await expect(live(manifest)).rejects.toThrow(
      expect.objectContaining({ status: 404 }) as ApiError,
    );
  }
}

const touches = (uri: string, manifests: Manifest[]) =>
  manifests.some((manifest) => uri.startsWith(objectPath(manifest)));

const examples = [
  "monolithic",
  "disaggregated",
  "multi-node",
  "disaggregated-multi-node",
  "sglang",
  "lora",
];

describe.each(examples)("%s", (example) => {
  it("creates the objects in expected.yaml once, and destroys them", async () => {
    // The image is set explicitly, because the default warns that its image is not published.
    const config = { "pulumi-inference:image": defaultRuntimeImage };
    const expected = readDocuments<Manifest>(`examples/${example}/expected.yaml`);
    await runThrough(`examples/${example}`, expected, config);
  }, 120_000);
});

it("the project at the root deploys the manifest that its configuration names", async () => {
  const expected = readDocuments<Manifest>("examples/multi-node/expected.yaml");
  await runThrough(".", expected, { manifest: "examples/multi-node/service.yaml" });
}, 120_000);
