import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { label, lwsLabel } from "../../sdk/names.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { unknownFlag } from "../../sdk/status/engine-logs.fixture.ts";
import { parsed } from "../../sdk/status/service-objects.fixture.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { objectPath } from "../../testing/object-path.ts";
import { service, vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { type LogNode, startLogNode } from "../../testing/stand-ins/kubelet-logs.ts";
import { run } from "../sample.fixture.ts";

/** The causes that status reads from pods, their events and their logs. The kubelet that serves logs is a STAND-IN. */

const image = "vllm/vllm-openai:v0.11.0";
const killed = { exitCode: 137, reason: "Error" };
const times = { startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:10:30Z" };
const startupProbe = { httpGet: { path: "/health", port: 8000 }, failureThreshold: 60 };

/** The state of the container of each role's pod. */
const states = {
  pull: {
    state: {
      waiting: {
        reason: "ErrImagePull",
        message: `rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/${image}": failed to resolve reference "docker.io/${image}": docker.io/${image}: not found`,
      },
    },
  },
  memory: {
    restartCount: 1,
    state: { running: {} },
    lastState: ended({ ...killed, reason: "OOMKilled" }),
  },
  probe: { ...restarting(), lastState: ended(killed) },
  engine: { ...restarting(), lastState: ended({ exitCode: 2, reason: "Error" }) },
} as const;

function ended(terminated: object) {
  return { terminated: { ...times, ...terminated } };
}

function restarting() {
  return {
    restartCount: 2,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } },
  };
}

const roles = Object.keys(states) as Array<keyof typeof states>;
let cluster: AttachedCluster;
let namespace: string;
let node: LogNode;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "causes");
  node = await startLogNode(cluster, namespace, {
    "engine-0/vllm": unknownFlag,
    "probe-0/vllm":
      "\rLoading safetensors checkpoint shards:  45% Completed | 9/20 [04:30<05:30, 30.0s/it]\n\n",
  });
  await deploy();
}, 120_000);
afterAll(async () => {
  await node?.stop();
  cluster?.detach();
});

async function deploy(): Promise<void> {
  const template = vllmTemplate(8, {
    startupProbe,
    resources: { limits: { "nvidia.com/gpu": "8", memory: "64Gi" } },
  });
  const planned = planInferenceService(
    parsed(service([...roles, "placed"].map((name) => worker({ name, template })))),
  );
  for (const object of planned) {
    const own = { ...object, metadata: { ...object.metadata, namespace } };
    await cluster.apply(objectPath(own), own);
  }
  for (const role of roles) {
    const container = { name: "vllm", image, imageID: "", ready: false, restartCount: 0 };
    const containerStatuses = [{ ...container, ...states[role] }];
    await createPod(role, template.spec, node.name, { containerStatuses });
  }
  await createPod("placed", template.spec, undefined, {
    conditions: [
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message:
          "0/8 nodes are unavailable: 3 Insufficient nvidia.com/gpu, 5 node(s) had untolerated taint(s).",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });
  await cluster.request("POST", `/api/v1/namespaces/${namespace}/events`, {
    metadata: { name: "probe-0.1" },
    involvedObject: { kind: "Pod", namespace, name: "probe-0" },
    reason: "Killing",
    message: "Container vllm failed startup probe, will be restarted",
    firstTimestamp: "2026-01-01T00:10:00Z",
    lastTimestamp: "2026-01-01T00:10:00Z",
  });
}

async function createPod(role: string, spec: object, nodeName: string | undefined, status: object) {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const name = `${role}-0`;
  const labels = { [label.service]: "svc", [label.roleName]: role, [lwsLabel.groupKey]: name };
  await cluster.request("POST", pods, {
    metadata: { name, labels },
    spec: { ...spec, ...(nodeName !== undefined && { nodeName }) },
  });
  await cluster.request("PATCH", `${pods}/${name}/status`, { status }, mergePatchType);
}

it("status names the cause of each role's failure with its fact", async () => {
  const args = ["status", "svc", "--kubeconfig", cluster.kubeconfig, "-n", namespace];
  const { code, out } = await run([...args, "--format", "json"]);
  expect(code).toBe(1);
  const { conditions } = JSON.parse(out) as {
    conditions: ReadonlyArray<{ readonly type: string; readonly message: string }>;
  };
  const degraded = conditions.find(({ type }) => type === "Degraded")?.message.split("; ");
  const failed = (role: string) => `${role}: 0 of 1 replicas ready, pod ${role}-0`;
  expect(degraded).toEqual([
    `${failed("engine")}: CrashLoopBackOff: exit code 2: main.py: error: unrecognized arguments: --no-such-flag 1`,
    `${failed("memory")}: CrashLoopBackOff: vllm was killed for memory at its limit of 64Gi`,
    `${failed("placed")} cannot be scheduled: of 8 nodes, 3 lack free nvidia.com/gpu, 5 have a taint that the pods do not tolerate`,
    `${failed("probe")}: CrashLoopBackOff: vllm's startup probe ended the load at 45 % after 630 s (it allows 600 s)`,
    "raise its failureThreshold",
    `${failed("pull")}: ErrImagePull: image ${image}: not found`,
  ]);
  expect(node.queries.sort()).toEqual(
    ["engine", "probe"].map((role) => `${role}-0/vllm?previous=true&tailLines=1000`),
  );
});
