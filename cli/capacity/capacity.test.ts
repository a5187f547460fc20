import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf, run, sampleManifest } from "../sample.fixture.ts";

const capacity = (...args: string[]) => run(["capacity", "-f", "-", ...args], sampleManifest("a"));

it("capacity prints a table with a row for each number of GPUs", async () => {
  const { code, out, err } = await capacity("--gpus", "80,64,48,32,20");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(`\
GPUS  STATUS             IDLE  NOTE
80    Full               0
64    Partial (1P + 1D)  16
48    Partial (1P + 1D)  0
32    Blocked            32    needs 48 GPUs for 1 prefill + 1 decode together
20    Blocked            20    needs 48 GPUs for 1 prefill + 1 decode together; the last node has 4 of 8 GPUs
`);
});

it("capacity accepts --gpus several times", async () => {
  const { out } = await capacity("--gpus", "80", "--gpus", "64,48", "--format", "json");
  expect(JSON.parse(out).map(({ gpus }: { gpus: number }) => gpus)).toEqual([80, 64, 48]);
});

it.each([
  ["80", "full", 0],
  ["80,64", "full", 1],
  ["80,64", "minimum", 0],
  ["80,64,32", "minimum", 1],
])("capacity on %s GPUs with --require %s ends with %i", async (gpus, required, code) => {
  expect(await capacity("--gpus", gpus, "--require", required)).toMatchObject({ code });
});

it("capacity prints the rows as one JSON array", async () => {
  const { out } = await capacity("--gpus", "64,32", "--format", "json");
  const replica = (role: string, index: number, scheduledPods: number, size: number) => ({
    role,
    index,
    scheduledPods,
    size,
  });
  expect(JSON.parse(out)).toEqual([
    {
      gpus: 64,
      status: "Partial",
      replicas: [
        replica("prefill", 0, 2, 2),
        replica("decode", 0, 4, 4),
        replica("decode", 1, 0, 4),
      ],
      idleGpus: 16,
      note: "",
    },
    {
      gpus: 32,
      status: "Blocked",
      replicas: [
        replica("prefill", 0, 0, 2),
        replica("decode", 0, 0, 4),
        replica("decode", 1, 0, 4),
      ],
      idleGpus: 32,
      note: "needs 48 GPUs for 1 prefill + 1 decode together",
    },
  ]);
});

describe("capacity", () => {
  it("has nodes of --gpus-per-node", async () => {
    const { out } = await capacity("--gpus", "80", "--gpus-per-node", "4", "--format", "json");
    expect(JSON.parse(out)).toMatchObject([{ status: "Blocked", idleGpus: 80 }]);
  });

  it("accepts the nodes of --nodes, with --binpack gpu", async () => {
    const mixed = sampleManifest("a")
      .replace("nodeCount: 4", "nodeCount: 2")
      .replace("replicas: 2", "replicas: 1")
      .replace(/"8"(?=[^"]*$)/, '"4"');
    const on = async (...args: string[]) =>
      JSON.parse((await run(["capacity", "-f", "-", "--format", "json", ...args], mixed)).out)[0];
    expect(await on("--nodes", "8,8,4,4", "--binpack", "gpu")).toMatchObject({ status: "Full" });
    expect(await on("--nodes", "8,8,4,4")).toMatchObject({
      gpus: 24,
      status: "Blocked",
      note: expect.stringContaining("Full with Volcano's binpack scoring nvidia.com/gpu"),
    });
  });
});

it("capacity reports the clusters of a kubeconfig in which the service fits", async () => {
  const nodesOf = (...gpus: number[]) =>
    gpus.map((count) => ({
      status: {
        allocatable: { "nvidia.com/gpu": String(count) },
        conditions: [{ type: "Ready", status: "True" }],
      },
    }));
  const items = { east: nodesOf(...Array(10).fill(8)), west: nodesOf(8, 8, 8, 8) };
  const server = createServer(({ url }, response) => {
    const cluster = (["east", "west"] as const).find((name) => url?.startsWith(`/${name}/`));
    if (cluster === undefined) response.writeHead(403).end("{}");
    else response.writeHead(200).end(JSON.stringify({ items: items[cluster] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ["east", "west", "south"];
  using folder = folderOf({
    kubeconfig: JSON.stringify({
      clusters: names.map((name) => ({
        name,
        cluster: { server: `${url}/${name}`, "insecure-skip-tls-verify": true },
      })),
      users: [{ name: "me", user: {} }],
      contexts: names.map((name) => ({ name, context: { cluster: name, user: "me" } })),
    }),
  });
  const fits = (...contexts: string[]) =>
    capacity(
      ...["--kubeconfig", `${folder.path}/kubeconfig`, "--require", "full"],
      ...contexts.flatMap((name) => ["--context", name]),
    );
  const { code, out } = await fits("east", "west", "south");
  expect(code).toBe(0);
  expect(out.split("\n")).toEqual([
    "CLUSTER  GPUS  STATUS   IDLE  NOTE",
    "east     80    Full     0",
    "west     32    Blocked  32    needs 48 GPUs for 1 prefill + 1 decode together",
    expect.stringMatching(/^south {4}- {5}Unknown {2}- {5}--context south: nodes cannot be read: /),
    "",
  ]);
  expect((await fits("west", "south")).code).toBe(1);
  expect((await fits("nowhere")).out).toMatch(/^nowhere .*Unknown .*nowhere/m);
  expect(await capacity("--context", "east", "--gpus", "8")).toMatchObject({ code: 2 });
  server.close();
});

it("capacity colours the status only on a terminal", async () => {
  const args = ["capacity", "-f", "-", "--gpus", "80,64,32"];
  const { out } = await run(args, sampleManifest("a"), true);
  expect(out).toContain("\u001b[32mFull\u001b[39m               0");
  expect(out).toContain("\u001b[33mPartial (1P + 1D)\u001b[39m  16");
  expect(out).toContain("\u001b[31mBlocked\u001b[39m");
  expect((await run(args, sampleManifest("a"), false)).out).not.toContain("\u001b");
});

it("capacity places several services on the same nodes", async () => {
  const two = `${sampleManifest("a")}---\n${sampleManifest("b")}`;
  const table = await run(["capacity", "-", "--gpus", "160,80"], two);
  expect(table).toMatchObject({ code: 0, err: "" });
  expect(table.out).toBe(`\
SERVICE  GPUS  STATUS   IDLE  NOTE
a        160   Full     0
b        160   Full     0
a        80    Full     0
b        80    Blocked  0     80 GPUs are enough for 1 prefill + 1 decode together (48), but no placement was found for pods of 8 GPUs
`);
  const { out, code } = await run(
    ["capacity", "-", "--gpus", "80", "--format", "json", "--require", "minimum"],
    two,
  );
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject([
    { service: "a", gpus: 80, status: "Full" },
    { service: "b", gpus: 80, status: "Blocked" },
  ]);
});

it("capacity ends with 1 if the service is invalid", async () => {
  const { code, out, err } = await run(
    ["capacity", "-f", "-", "--gpus", "8"],
    sampleManifest("a").replace("nodeCount: 4", "nodeCount: -4"),
  );
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^standard input:22: spec\.roles\[1\]\.multinode\.nodeCount: is -4; allowed: /,
  );
});

it("capacity counts workloads of other authors that request accelerators", async () => {
  const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: vllm, namespace: ml }
spec:
  replicas: 3
  template:
    spec: { containers: [{ name: e, resources: { limits: { nvidia.com/gpu: 2 } } }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { spec: { containers: [{ name: e }] } } }
`;
  const { out } = await run(["capacity", "-", "--nodes", "4,1"], deployment);
  expect(out).toMatch(/^5 +Partial \(2 of 3 vllm\) +1$/m);
  const none = await run(["capacity", "-", "--nodes", "4"], deployment.split("---")[1]);
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("no engine found");
});

it("capacity needs no field that does not change the pods", async () => {
  const unknown = sampleManifest("a").replaceAll(
    "vllm/vllm-openai:v0.11.0",
    "registry.example/a:1",
  );
  const { code, out, err } = await run(["capacity", "-", "--gpus", "80"], unknown);
  expect(code).toBe(0);
  expect(out).toMatch(/^80 +Full/m);
  expect(err).toMatch(
    /^warning: standard input:\d+: a deployment would fail, although pods can be counted: spec\.roles\[0\]\./,
  );
  const wrong = unknown.replace("replicas: 2", "replicas: -2");
  expect(await run(["capacity", "-", "--gpus", "80"], wrong)).toMatchObject({ code: 1, out: "" });
});

describe("--nodes FILE", () => {
  const node = (
    name: string,
    allocatable: object,
    more: { labels?: object; taints?: object[] } = {},
  ) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: more.labels ?? {} },
    spec: { taints: more.taints ?? null },
    status: {
      allocatable: { cpu: "64", memory: "512Gi", pods: "110", ...allocatable },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  const listOf = (items: object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const on = async (items: object[], ...args: string[]) => {
    using folder = folderOf({ "nodes.json": listOf(items) });
    return await run(
      ["capacity", "-", "--nodes", join(folder.path, "nodes.json"), ...args],
      sampleManifest("a"),
    );
  };
  const gpus = (count: number) =>
    Array.from({ length: count }, (_, at) => node(`gpu-${at}`, { "nvidia.com/gpu": "8" }));
  const ascend = node("npu", { "huawei.com/Ascend910": "8" });

  it("accelerators of another maker are not added", async () => {
    const { code, out, err } = await on([...gpus(5), ascend]);
    expect(code).toBe(0);
    expect(err).toBe(
      "accelerators in use are not subtracted: the placement is for nodes on which no pod runs\n",
    );
    expect(out).toMatch(
      /^40 nvidia\.com\/gpu, 8 huawei\.com\/Ascend910 +Blocked +40 nvidia\.com\/gpu, 8 huawei\.com\/Ascend910 +needs 48 nvidia\.com\/gpu for 1 prefill \+ 1 decode together; of 6 nodes, 5 accept pods of prefill: 1 has no nvidia\.com\/gpu, but the pod requests 8; /m,
    );
    const [row] = JSON.parse((await on([...gpus(6), ascend], "--format", "json")).out);
    expect(row).toMatchObject({
      status: "Partial",
      devices: {
        "nvidia.com/gpu": { total: 48, idle: 0 },
        "huawei.com/Ascend910": { total: 8, idle: 8 },
      },
    });
    expect(row).not.toHaveProperty("gpus");
    expect(row).not.toHaveProperty("idleGpus");
  });

  it("one kind of accelerators keeps the text of one number", async () => {
    expect((await on(gpus(10))).out).toBe("GPUS  STATUS  IDLE  NOTE\n80    Full    0\n");
  });

  it("nodes with a taint, with too little memory or without the label are named as reasons", async () => {
    const taints = [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }];
    const tainted = gpus(10).map((each, at) => (at < 9 ? { ...each, spec: { taints } } : each));
    const { out } = await on(tainted, "--require", "minimum");
    expect(out).toContain(
      "of 10 nodes, 1 accepts pods of prefill: 9 have the taint nvidia.com/gpu=present:NoSchedule",
    );
  });

  it.each([
    ["kind: Pod\napiVersion: v1\nmetadata: { name: a }\n", "is a Pod (v1); allowed: the output of"],
    ["kind: Node\napiVersion: v1\nmetadata: {}\n", "has a node without metadata.name"],
    [
      "kind: Node\napiVersion: v1\nmetadata: { name: a }\nspec: { taints: [{ key: 1 }] }\n",
      "a node cannot be read: spec.taints[0].key",
    ],
    ["apiVersion: v1\nkind: List\nitems: []\n", "no Kubernetes objects found"],
    [
      "kind: Node\napiVersion: v1\nmetadata: { name: a }\n---\nkind: Node\napiVersion: v1\nmetadata: { name: a }\n",
      "two nodes named a",
    ],
  ])("%j is misuse", async (text, message) => {
    using folder = folderOf({ "nodes.yaml": text });
    const args = ["capacity", "-", "--nodes", join(folder.path, "nodes.yaml")];
    const { code, out, err } = await run(args, sampleManifest("a"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("labels that no node has are not known, because an autoscaler may add nodes", async () => {
    using folder = folderOf({ "nodes.json": listOf(gpus(10)) });
    const selected = sampleManifest("a").replaceAll(
      "spec:\n          containers",
      "spec:\n          nodeSelector: { gpu: l40s }\n          containers",
    );
    const args = ["capacity", "-", "--nodes", join(folder.path, "nodes.json")];
    const { code, out } = await run([...args, "--require", "minimum"], selected);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^80 +Unknown +80 +.*of 10 nodes, none accepts pods of prefill: 10 lack the label gpu=l40s/m,
    );
  });
});

it("capacity counts the minimum of an autoscaler for a workload without replicas", async () => {
  const set = {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name: "chat" },
    spec: {
      leaderWorkerTemplate: {
        workerTemplate: {
          spec: { containers: [{ name: "e", resources: { limits: { "nvidia.com/gpu": "8" } } }] },
        },
      },
    },
  };
  const scaler = {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "chat" },
    spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name: "chat" }, minReplicaCount: 3 },
  };
  const items = [set, scaler];
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { out } = await run(["capacity", "-", "--gpus", "16,24"], input);
  expect(out).toMatch(/^16 +Partial \(2 of 3 chat\) +0\n24 +Full +0$/m);
});

it("capacity reads the folder of a program", async () => {
  const { code, out } = await run(["capacity", "examples/quickstart", "--gpus", "8"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^8 +Full /m);
  const both = await run(["capacity", "examples/quickstart", "-", "--gpus", "8"]);
  expect(both.err).toContain("is a Pulumi program; place it alone");
});
