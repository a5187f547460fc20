import { expect, it } from "vitest";
import { closedExport } from "../../sdk/rules/spec/exports.ts";
import { diagnose } from "./diagnose.ts";
import { observe } from "./observe.ts";
import {
  goodCluster,
  paths,
  type RecordedCluster,
  readerOf,
  refused,
} from "./recorded-cluster.fixture.ts";

/** Needs of services in addition to the controllers: kinds, gateways, accelerators, images and volumes. */

async function found(change: (cluster: RecordedCluster) => void) {
  const cluster = structuredClone(goodCluster());
  change(cluster);
  const findings = diagnose(await observe(readerOf(cluster), "models"));
  return findings.filter(({ level }) => level !== "ok");
}

const pod = (image: string) => ({
  metadata: { name: "chat-epp-1" },
  status: { containerStatuses: [{ image, state: { waiting: { reason: "ImagePullBackOff" } } }] },
});

const own = (name: string) => paths.crd(`${name}.inference.x-k8s.io`);

const put = (path: string, value: unknown) => (cluster: RecordedCluster) => {
  cluster[path] = value;
};

it.each<[string, (cluster: RecordedCluster) => void, object | object[]]>([
  [
    "a kind of this project",
    (cluster) => delete cluster[own("llmservices")],
    {
      check: "own-crds",
      level: "warning",
      seen: expect.stringContaining("missing: llmservices.inference.x-k8s.io"),
      fix: expect.stringContaining("npx pulumi-inference crds | kubectl apply --server-side -f -"),
    },
  ],
  [
    "a field of a kind of this project",
    (cluster) => {
      const crd = cluster[own("llmservices")] as {
        spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: object } } } }] };
      };
      const [{ schema }] = crd.spec.versions;
      schema.openAPIV3Schema.properties.spec = { properties: {} };
    },
    {
      check: "own-crds",
      seen: expect.stringContaining("lacks spec.share, spec.models, spec.poolRef"),
    },
  ],
  [
    "an accepted GatewayClass",
    put(paths.gatewayClasses, { items: [{ metadata: { name: "kgw" } }] }),
    {
      check: "gateway-class",
      level: "warning",
      seen: expect.stringContaining("found kgw, which no controller has accepted"),
    },
  ],
  [
    "a GPU",
    put(paths.nodes, { items: [{ metadata: { name: "a" } }] }),
    { check: "accelerators", level: "warning", fix: expect.stringContaining("gpu-operator") },
  ],
  [
    "labels of its GPUs",
    put(paths.nodes, {
      items: [{ metadata: { name: "a" }, status: { allocatable: { "nvidia.com/gpu": "8" } } }],
    }),
    {
      check: "placement",
      level: "warning",
      title: "no label names the accelerator of a",
      fix: expect.stringContaining("kubectl label node NODE nvidia.com/gpu.product="),
    },
  ],
  [
    "labels of some nodes with GPUs",
    put(paths.nodes, {
      items: ["8", "0"].map((count, at) => ({
        metadata: { name: `node-${at}` },
        status: { allocatable: { "nvidia.com/gpu": count } },
      })),
    }),
    {
      check: "placement",
      level: "warning",
      title: "no label names the accelerator of node-0",
    },
  ],
  [
    "a node for a LeaderWorkerSet",
    put(paths.leaderWorkerSets, {
      items: [
        {
          metadata: { name: "qwen" },
          spec: {
            leaderWorkerTemplate: {
              workerTemplate: {
                spec: { containers: [], nodeSelector: { "nvidia.com/gpu.product": "Tesla-T4" } },
              },
            },
          },
        },
      ],
    }),
    {
      check: "placement",
      level: "warning",
      title: "no node accepts the pods of LeaderWorkerSet models/qwen",
      seen: expect.stringContaining("no node has a label of T4; there are 2 with L40S."),
    },
  ],
  [
    "this project's image",
    put(paths.pods, { items: [pod("ghcr.io/x/pulumi-inference:0.1.0")] }),
    {
      check: "images",
      level: "error",
      title: "image ghcr.io/x/pulumi-inference:0.1.0 cannot be pulled",
      seen: "pod chat-epp-1: ImagePullBackOff",
      fix: expect.stringMatching(
        /npm run image -- --push .*pulumi config set pulumi-inference:image/,
      ),
    },
  ],
  [
    "an engine's image",
    put(paths.pods, { items: [pod("vllm/vllm-openai:v0")] }),
    { check: "images", fix: "kubectl describe pod chat-epp-1 -n models" },
  ],
  [
    "a default StorageClass",
    put(paths.storageClasses, { items: [] }),
    {
      check: "storage-classes",
      level: "error",
      seen: "it names no StorageClass, and the cluster has no default one; available: none",
    },
  ],
  [
    "a claim's StorageClass",
    (cluster) => {
      const claim = { metadata: { name: "c" }, spec: { storageClassName: "efs" } };
      cluster[paths.claims] = { items: [{ ...claim, status: { phase: "Pending" } }] };
    },
    { check: "storage-classes", seen: "StorageClass not found: efs; available: fast" },
  ],
  [
    "networks of an exported picker",
    (cluster) => {
      const [service] = (cluster[paths.services] as { items: Array<{ spec: object }> }).items;
      Object.assign(service?.spec ?? {}, { loadBalancerSourceRanges: [] });
    },
    {
      check: "exported-pickers",
      level: "warning",
      title: "Service models/chat-epp is open: spec.type is LoadBalancer",
      seen: closedExport.why,
      fix: expect.stringContaining("loadBalancerSourceRanges"),
    },
  ],
  [
    "names that an open pool keeps",
    (cluster) => {
      const [pool] = (cluster[paths.serverPools] as { items: Array<{ spec: object }> }).items;
      Object.assign(pool?.spec ?? {}, { allowUnregisteredModels: true });
    },
    {
      check: "admitted-namespaces",
      level: "warning",
      title:
        "LLMServerPool models/llama is open: spec.allowedNamespaces.0 may register any name, and allowUnregisteredModels is true",
      fix: expect.stringContaining("reservedModels"),
    },
  ],
  [
    "a model router",
    put(paths.programs, { items: [] }),
    {
      check: "model-router",
      level: "warning",
      title: expect.stringMatching(
        /^HTTPRoute models\/chat gets no requests: .* is X-Gateway-Model-Name, a header that no model router/,
      ),
      fix: expect.stringContaining("Create a ModelRouter"),
    },
  ],
  [
    "a grant of the namespace that a route's pool is in",
    put(paths.grants, { items: [] }),
    {
      check: "reference-grants",
      level: "warning",
      title: expect.stringMatching(
        /^HTTPRoute models\/chat lacks a grant: .* refers to InferencePool others\/chat-pool/,
      ),
      fix: expect.stringContaining("ReferenceGrant"),
    },
  ],
  [
    "a status controller that recycles pods",
    (cluster) => {
      const { items } = cluster[paths.programs] as {
        items: Array<{ spec: { template: { spec: { containers: Array<{ args: string[] }> } } } }>;
      };
      items[0]?.spec.template.spec.containers[0]?.args.pop();
    },
    {
      check: "recycling",
      level: "warning",
      title: expect.stringMatching(
        /^InferenceService models\/chat keeps failing pods: spec.resilience.recycle is set, but the status controller runs without --recycle-pods/,
      ),
      fix: expect.stringContaining("recyclesPods: true"),
    },
  ],
  [
    "the import that an agent follows",
    put(paths.imports, { items: [] }),
    {
      check: "parents-agents",
      level: "warning",
      title: "Deployment qwen-parents-agent: no InferencePoolImport qwen",
      fix: expect.stringContaining("npx pulumi-inference clusters"),
    },
  ],
  [
    "the route that an agent writes",
    (cluster) => {
      const [route] = (cluster[paths.routes] as { items: Array<{ metadata: object }> }).items;
      Object.assign(route?.metadata ?? {}, { labels: {} });
    },
    {
      check: "parents-agents",
      level: "warning",
      title: "Deployment qwen-parents-agent: no HTTPRoute written",
      fix: "kubectl logs deployment/qwen-parents-agent",
    },
  ],
  [
    "the permission to read imports",
    put(paths.imports, refused),
    { check: "parents-agents", level: "unknown", title: "InferencePoolImports cannot be read" },
  ],
  [
    "the permission to read Deployments of other namespaces",
    put(paths.programs, refused),
    ["model-router", "recycling"].map((check) => ({
      check,
      level: "unknown",
      title: "programs cannot be read",
    })),
  ],
  [
    "the permission to read Services",
    put(paths.services, refused),
    { check: "exported-pickers", level: "unknown" },
  ],
  [
    "the permission to read nodes",
    put(paths.nodes, refused),
    { check: "accelerators", level: "unknown" },
  ],
])("doctor reports a missing part of a cluster: %s", async (_what, change, finding) => {
  expect(await found(change)).toEqual(
    [finding].flat().map((each) => expect.objectContaining(each)),
  );
});

it("an exported picker that requires client certificates is not open", async () => {
  const asked = await found((cluster) => {
    const [service] = (cluster[paths.services] as { items: Array<{ spec: object }> }).items;
    Object.assign(service?.spec ?? {}, { loadBalancerSourceRanges: [] });
    const [picker] = (cluster[paths.deployments] as { items: Array<{ spec: object }> }).items;
    const container = { name: "epp", args: ["--client-ca-file=/ca.crt"] };
    const template = {
      metadata: { labels: { app: "chat-epp" } },
      spec: { containers: [container] },
    };
    Object.assign(picker?.spec ?? {}, { template });
  });
  expect(asked).toEqual([]);
});

it("a cluster without pools of either kind has no open picker", async () => {
  const without = await found((cluster) => {
    for (const path of [paths.services, paths.pools, paths.serverPools]) delete cluster[path];
  });
  expect(without).toEqual([]);
});

it("doctor counts accelerators", async () => {
  const findings = diagnose(await observe(readerOf(goodCluster()), "models"));
  expect(findings).toContainEqual(
    expect.objectContaining({ title: "allocatable: 16 nvidia.com/gpu on 2 nodes" }),
  );
});
