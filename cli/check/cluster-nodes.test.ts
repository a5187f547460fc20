import { afterAll, beforeAll, expect, it } from "vitest";
import { bundlePacks } from "../../policies/bundle.ts";
import { isOpen } from "../../sdk/placement/cluster-node.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { folderOf, run } from "../sample.fixture.ts";
import { readClusterNodes } from "./cluster-nodes.ts";

const path = "/api/v1/nodes";
const nodes = [
  { name: "check-a", gpus: "13", ready: "True" },
  { name: "check-b", gpus: "17", ready: "False" },
  { name: "check-c", gpus: "19", ready: "True", unschedulable: true },
];

let cluster: AttachedCluster;
beforeAll(async () => {
  await bundlePacks();
  cluster = await sharedCluster();
  for (const { name, gpus, ready, unschedulable = false } of nodes) {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { unschedulable } };
    const made = await cluster.request<object>("POST", path, node);
    const conditions = [{ type: "Ready", status: ready, reason: "Test", message: "" }];
    await cluster.request("PUT", `${path}/${name}/status`, {
      ...made,
      status: { allocatable: { cpu: "64", "nvidia.com/gpu": gpus }, conditions },
    });
  }
}, 120_000);
afterAll(async () => {
  for (const { name } of nodes) await cluster?.request("DELETE", `${path}/${name}`);
  cluster?.detach();
});

const pod = (gpus: number) => `
apiVersion: v1
kind: Pod
metadata: { name: chat }
spec:
  containers:
    - { name: engine, resources: { limits: { nvidia.com/gpu: ${gpus} } } }
`;

it("readClusterNodes returns the schedulable nodes", async () => {
  const read = await readClusterNodes({ kubeconfig: cluster.kubeconfig });
  const open = read.filter(isOpen).map(({ status }) => status?.allocatable?.["nvidia.com/gpu"]);
  expect(open).toContain("13");
  expect(open).not.toContain("17");
  expect(open).not.toContain("19");
});

it("check compares a service with the nodes of the cluster", async () => {
  using folder = folderOf({
    "config.json": JSON.stringify({ all: "disabled", "minimum-fits-the-cluster": "mandatory" }),
  });
  const checked = (gpus: number) =>
    run(
      [
        "check",
        "-",
        "--config",
        `${folder.path}/config.json`,
        "--cluster-nodes",
        "--kubeconfig",
        cluster.kubeconfig,
      ],
      pod(gpus),
    );
  expect((await checked(13)).code).toBe(0);
  const { code, out } = await checked(14);
  expect(code).toBe(1);
  expect(out).toMatch(
    /error minimum-fits-the-cluster.*\n.*\n.*Pod chat: .*requests 14 (accelerators|nvidia\.com\/gpu)/,
  );
  expect(out).toMatch(/Pod default\/chat +14( nvidia\.com\/gpu)? +Blocked/);
});

it("unreadable nodes are misuse", async () => {
  const { code, err } = await run(
    ["check", "-", "--cluster-nodes", "--kubeconfig", "/nowhere"],
    pod(1),
  );
  expect(code).toBe(2);
  expect(err).toContain("/nowhere");
});
