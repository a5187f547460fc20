import { expect, it } from "vitest";
import { router, service, worker } from "../../testing/sample-service.ts";
import { type ServiceObjects, statusOf } from "./inference-service-status.ts";
import { observePodGroup } from "./observed.ts";
import { objectsOf, type PodState, parsed, t0 } from "./service-objects.fixture.ts";
import { servingPath } from "./serving-path.ts";

/** How a status describes pods for which a scheduler finds no node. */

const taints =
  "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu.";
const inWords = "of 3 nodes, 1 had untolerated taint(s), 2 lack free nvidia.com/gpu";
const unplaced: PodState = { unschedulableSince: t0, shortage: taints };
const two = parsed(service([worker({ replicas: 2 }), router()]));
const group = parsed(
  service([worker({ replicas: 2, minReplicas: 2, multinode: { nodeCount: 2 } })]),
);

const messagesOf = (
  of: typeof two,
  state: (pod: string) => PodState,
  others: Partial<ServiceObjects> = {},
  now = "2026-01-01T00:01:00Z",
) =>
  Object.fromEntries(
    statusOf(of, objectsOf(of, state, others), undefined, {
      now,
      generation: 1,
    }).status.conditions?.map(({ type, message }) => [type, message]) ?? [],
  );

it("a status counts the pods without a node and names the resources that are short", () => {
  const { Available, Progressing, Degraded } = messagesOf(two, (pod) =>
    pod.startsWith("epp") ? { ready: true } : unplaced,
  );
  const role = `inference: 0 of 2 replicas ready, 2 pods wait for a node: ${inWords}`;
  expect({ Available, Progressing, Degraded }).toEqual({
    Available: role,
    Progressing: role,
    Degraded: "no failures",
  });
});

it("a status names the same resources if a pod has waited for ten minutes", () => {
  const { Degraded } = messagesOf(two, () => unplaced, {}, "2026-01-01T00:11:00Z");
  expect(Degraded).toContain(`pod inference-0-0 cannot be scheduled: ${inWords}`);
});

it.each([
  [
    "the PodGroup's condition",
    `4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable. Origin reason is a: ${taints}`,
  ],
  ["a pod's condition", undefined],
])("a waiting gang names the resources in %s", (_, message) => {
  const condition = { type: "Unschedulable", status: "True", message, lastTransitionTime: t0 };
  const podGroup = observePodGroup({
    metadata: { name: "svc" },
    status: { phase: "Inqueue", conditions: message === undefined ? [] : [condition] },
  });
  const waits = `waiting for 4 of 4 nodes (${inWords})`;
  expect(messagesOf(group, () => unplaced, { podGroup }).Available).toBe(
    `inference: 0 of 2 replicas ready (0 of 4 pods); ${waits}`,
  );
  expect(
    servingPath(
      group,
      objectsOf(group, () => unplaced, { podGroup }),
      [],
    )[0]?.state,
  ).toBe(`Inqueue, ${waits}`);
});
