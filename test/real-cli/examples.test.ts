import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { defaultRuntimeImage } from "../../sdk/index.ts";
import {
  startWorkingCluster,
  type WorkingCluster,
} from "../../testing/clusters/working-cluster.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { type Walk, walkOf } from "./walk.ts";

/**
 * Every example by the Pulumi CLI and its Kubernetes provider, on the real controllers: first the platform, and what needs
 * it while it is there.
 */

let working: WorkingCluster;
let folder: string;
const walk = (example: string, config: Record<string, string> = {}): Promise<Walk> => {
  const { cluster, atRest } = working;
  const { kubeconfig, request } = cluster;
  return walkOf({ example, folder, config, kubeconfig, request, atRest });
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "real-cli-"));
  working = await startWorkingCluster();
  await makeAdapterVolume();
}, 1_800_000);
afterAll(async () => {
  await working?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** The image is set explicitly, because the default warns that its image is not published. */
const image = { "pulumi-inference:image": defaultRuntimeImage };

/** One stack each. */
const alone: Record<string, Record<string, string>> = {
  monolithic: {},
  disaggregated: image,
  "multi-node": {},
  "disaggregated-multi-node": image,
  sglang: image,
  lora: image,
  "pod-plugins": {},
  "model-serving": {},
  quickstart: image,
  canary: image,
  "canary-base-model": image,
  accelerators: image,
  "model-rewrite": image,
  "fair-pools": image,
  "model-router": { ...image, gatewayType: "generic" },
  "..": { manifest: "test/fixtures/stories/story-3.yaml" },
};

/** Stacks that refer to one another, first to last. */
const together = ["llm-services/platform", "llm-services/chat-team", "llm-services/games-team"];

it("covers every example", () => {
  const programs = globSync("examples/**/Pulumi.yaml", { cwd: repositoryRoot })
    .filter((path) => !path.includes("node_modules") && !path.startsWith("examples/languages/"))
    .map((path) => dirname(path).replace("examples/", ""));
  const elsewhere = [
    "multi-cluster-endpoint",
    "multi-cluster-parent/exporter",
    "multi-cluster-parent/importer",
    "multi-cluster-parent/set",
  ];
  const covered = ["platform", ...Object.keys(alone), ...together, ...elsewhere];
  expect(covered.sort()).toEqual(["..", ...programs].sort());
});

/** STAND-IN for a storage class: the claim that examples/lora names, bound to a volume with adapters. */
async function makeAdapterVolume(): Promise<void> {
  const { request } = working.cluster;
  const size = { accessModes: ["ReadOnlyMany"], storageClassName: "" };
  await request("POST", "/api/v1/persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "adapters" },
    spec: {
      ...size,
      capacity: { storage: "1Gi" },
      csi: { driver: "csi.example.com", volumeHandle: "adapters" },
      claimRef: { namespace: "default", name: "adapters" },
    },
  });
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  await request("POST", claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "adapters",
      annotations: { "pv.kubernetes.io/bind-completed": "yes" },
    },
    spec: { ...size, resources: { requests: { storage: "1Gi" } }, volumeName: "adapters" },
  });
  await request(
    "PATCH",
    `${claims}/adapters/status`,
    { status: { phase: "Bound" } },
    mergePatchType,
  );
}

describe("examples/platform and what runs on it", () => {
  let platform: Walk;
  it("is created on a cluster without this project's CRDs", async () => {
    const registry = { server: "registry.example.com", username: "robot", password: "secret" };
    platform = await walk("platform", { ...image, registry: JSON.stringify(registry) });
    await platform.up();
  });

  it.each(Object.entries(alone))(
    "%s is created, does not change in a second update, and is destroyed",
    async (example, config) => {
      const stack = await walk(example, config);
      onTestFailed(stack.down);
      await stack.up();
      await stack.down();
    },
  );

  it("llm-services: teams on a platform team's pool", async () => {
    for (const team of ["chat", "games"])
      await working.cluster.request("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: team },
      });
    const stacks: Walk[] = [];
    for (const example of together) {
      const stack = await walk(example, image);
      stacks.push(stack);
      await stack.up();
    }
    for (const stack of stacks.reverse()) await stack.down();
  });

  it("is destroyed last, and keeps the CRDs", async () => {
    await platform.down();
    const path = "/apis/inference.x-k8s.io/v1alpha1/llmservices";
    expect(await working.cluster.request("GET", path)).toMatchObject({ items: [] });
  });
});
