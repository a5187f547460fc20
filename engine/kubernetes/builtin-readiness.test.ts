import { expect, test } from "vitest";
import type { KubernetesObject } from "./object.ts";
import type { Lookup } from "./object-status.ts";
import { readyCondition } from "./readiness.ts";

const object = (kind: string, spec: object, status: object, generation = 1): KubernetesObject => {
  const [apiVersion, name] = [
    kind.slice(0, kind.lastIndexOf("/")),
    kind.slice(kind.lastIndexOf("/") + 1),
  ];
  return {
    apiVersion,
    kind: name,
    metadata: { name: "x", namespace: "ns", generation },
    spec,
    status,
  };
};

const endpoints =
  (ready: boolean): Lookup =>
  async () => ({ items: [{ endpoints: [{ conditions: { ready } }] }] });
const nothing: Lookup = async () => undefined;
const rollout = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

test.each<[string, KubernetesObject, boolean, Lookup?]>([
  ["a rolled out Deployment", object("apps/v1/Deployment", { replicas: 2 }, rollout), true],
  [
    "a Deployment of an older generation",
    object("apps/v1/Deployment", { replicas: 2 }, rollout, 2),
    false,
  ],
  ["a Deployment without status", object("apps/v1/Deployment", { replicas: 0 }, {}), false],
  [
    "a Deployment with an old pod",
    object("apps/v1/Deployment", { replicas: 2 }, { ...rollout, replicas: 3 }),
    false,
  ],
  [
    "a Deployment with a pod missing",
    object("apps/v1/Deployment", { replicas: 2 }, { ...rollout, availableReplicas: 1 }),
    false,
  ],
  [
    "a StatefulSet",
    object(
      "apps/v1/StatefulSet",
      {},
      { observedGeneration: 1, readyReplicas: 1, currentRevision: "a", updateRevision: "a" },
    ),
    true,
  ],
  [
    "a StatefulSet of an old revision",
    object(
      "apps/v1/StatefulSet",
      {},
      { observedGeneration: 1, readyReplicas: 1, currentRevision: "a", updateRevision: "b" },
    ),
    false,
  ],
  [
    "a DaemonSet without nodes",
    object("apps/v1/DaemonSet", {}, { observedGeneration: 1, desiredNumberScheduled: 0 }),
    true,
  ],
  [
    "a ready Pod",
    object("v1/Pod", {}, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }),
    true,
  ],
  ["a running Pod", object("v1/Pod", {}, { phase: "Running" }), false],
  [
    "a Job that is complete",
    object("batch/v1/Job", {}, { conditions: [{ type: "Complete", status: "True" }] }),
    true,
  ],
  [
    "a Service with an endpoint",
    object("v1/Service", { selector: { a: "b" } }, {}),
    true,
    endpoints(true),
  ],
  [
    "a Service without ready endpoints",
    object("v1/Service", { selector: { a: "b" } }, {}),
    false,
    endpoints(false),
  ],
  ["a Service without endpoint slices", object("v1/Service", { selector: { a: "b" } }, {}), false],
  [
    "a headless Service",
    object("v1/Service", { selector: { a: "b" }, clusterIP: "None" }, {}),
    true,
  ],
  ["a Service without selector", object("v1/Service", {}, {}), true],
  ["a load balancer without address", object("v1/Service", { type: "LoadBalancer" }, {}), false],
  ["a bound claim", object("v1/PersistentVolumeClaim", {}, { phase: "Bound" }), true],
  [
    "a claim that waits for a pod",
    object("v1/PersistentVolumeClaim", { storageClassName: "s" }, { phase: "Pending" }),
    true,
    async () => ({ volumeBindingMode: "WaitForFirstConsumer" }),
  ],
  ["a pending claim", object("v1/PersistentVolumeClaim", {}, { phase: "Pending" }), false],
])("%s", async (_, live, isReady, lookup = nothing) => {
  const readiness = await readyCondition(live)?.(live, lookup);
  expect(readiness?.ready).toBe(isReady);
});

test("an object that has failed permanently ends the wait", async () => {
  const job = object(
    "batch/v1/Job",
    {},
    { conditions: [{ type: "Failed", status: "True", message: "no" }] },
  );
  expect(await readyCondition(job)?.(job, nothing)).toEqual({
    ready: false,
    waitingFor: "the job failed: no",
    failed: true,
  });
});

test("objects of other kinds are ready once they are written", () => {
  expect(readyCondition(object("v1/ConfigMap", {}, {}))).toBeUndefined();
  expect(readyCondition(object("example.com/v1/Widget", {}, {}))).toBeUndefined();
});

test.each([
  ["{.status.phase}=Running", true],
  ["{$.status.phase}=Pending", false],
  ["{.status['a.b']}=1", true],
  ["{.status.conditions[-1].type}=Accepted", true],
  ['{.status.conditions[?(@.type=="Ready" || @.n>=2)].n}=1', true],
  ["{.status.conditions[?(@.message)].type}", false],
])("waitFor jsonpath=%s is ready: %s", async (path, ready) => {
  const conditions = [
    { type: "Ready", n: 1 },
    { type: "Accepted", n: 2 },
  ];
  const live = object("example.com/v1/Widget", {}, { phase: "Running", "a.b": 1, conditions });
  live.metadata.annotations = { "pulumi.com/waitFor": `jsonpath=${path}` };
  expect((await readyCondition(live)?.(live, nothing))?.ready).toBe(ready);
});

test.each([
  ["Ready", "expected condition=Type"],
  ["jsonpath=.status.phase=Running", "expected {.path}"],
  ["jsonpath='{.status.phase}'", "without shell quotes"],
  ["jsonpath={.status[}", "jsonpath={.status[}: "],
  ["jsonpath={status.phase}", "jsonpath={status.phase}: "],
  ["[]", "empty list"],
])("waitFor %s is refused", (waitFor, message) => {
  const live = object("example.com/v1/Widget", {}, {});
  live.metadata.annotations = { "pulumi.com/waitFor": waitFor };
  expect(() => readyCondition(live)).toThrow(message);
});
