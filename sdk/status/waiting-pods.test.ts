import fc from "fast-check";
import { expect, it } from "vitest";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { type ServiceObjects, statusOf } from "./inference-service-status.ts";
import { observeEvent, observePodGroup, observeWorkload } from "./observed.ts";
import { schedulerReports } from "./scheduler-reports.fixture.ts";
import { objectsOf, type PodState, parsed, t0 } from "./service-objects.fixture.ts";
import { servingPath } from "./serving-path.ts";

/** How a status describes pods for which a scheduler finds no node. */

const taints =
  "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu.";
const inWords =
  "of 3 nodes, 1 has a taint that the pods do not tolerate, 2 lack free nvidia.com/gpu";
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

const now = "2026-01-01T00:01:00Z";

it.each(schedulerReports.map((report) => [report.title, report] as const))(
  "a status has words for a report of a real scheduler: %s",
  (_, { podGroup, pods, events, words }) => {
    const service = podGroup === undefined ? two : group;
    const { message, reason } = pods[0] as (typeof pods)[number];
    const isPlaced = podGroup?.phase === "Running";
    let at = -1;
    const { Available, Progressing } = messagesOf(
      service,
      (pod) => {
        if (pod.startsWith("epp")) return { ready: true };
        if (isPlaced && pod.startsWith("inference-0")) return { ready: true };
        const report = pods[Math.min(++at, pods.length - 1)] ?? { message, reason };
        return report.reason === "Unschedulable"
          ? { unschedulableSince: t0, shortage: report.message }
          : {};
      },
      podGroup && {
        podGroup: observePodGroup({
          metadata: { name: "svc" },
          status: {
            phase: podGroup.phase,
            conditions: [
              podGroup.message === undefined
                ? { type: "Scheduled", status: "True", lastTransitionTime: t0 }
                : {
                    ...{ type: "Unschedulable", status: "True", lastTransitionTime: t0 },
                    message: podGroup.message,
                  },
            ],
          },
        }),
        events: events.map((message, index) =>
          observeEvent({
            metadata: { name: `e${index}` },
            involvedObject: { kind: "PodGroup", name: "svc" },
            ...{ reason: "Unschedulable", message, lastTimestamp: t0 },
          }),
        ),
      },
    );
    expect(Progressing).toContain(words);
    expect(Available).toContain(words);
    expect(`${Available} ${Progressing}`).not.toMatch(/tasks in gang|minAvailable|node\(s\)/);
  },
);

it("every reason names the shortage of a pod that waits for a node, in every phase", {
  timeout: 240_000,
}, () => {
  const shortage = "of 3 nodes, 3 lack free nvidia.com/gpu";
  const states: PodState[] = [
    { ready: true },
    { scheduled: true },
    { scheduled: true, waiting: "CrashLoopBackOff" },
    { unschedulableSince: t0, shortage: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu." },
  ];
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      arbitraryService,
      fc.array(
        fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
        { minLength: 1, maxLength: 12 },
      ),
      fc.constantFrom("Pending", "Inqueue", "Running"),
      fc.record({ generation: fc.nat(1), updated: fc.nat(2), late: fc.boolean() }),
      fc.constantFrom<Partial<ServiceObjects>>({}, { route: undefined }, { refusal: "port taken" }),
      (input, picks, phase, { generation, updated, late }, others) => {
        const of = parsed(input);
        let at = 0;
        const objects = objectsOf(of, () => states[picks[at++ % picks.length] ?? 0], others);
        const { podGroup } = objects;
        const status = statusOf(
          of,
          {
            ...objects,
            podGroup: podGroup && { ...podGroup, phase },
            workloads: objects.workloads.map(({ name }) =>
              observeWorkload({
                metadata: { name, generation },
                status: { observedGeneration: 0, replicas: 2, updatedReplicas: updated },
              }),
            ),
          },
          undefined,
          { now: late ? "2026-01-01T00:11:00Z" : now, generation: 1 },
        ).status;
        if (objects.pods.every(({ unschedulable }) => unschedulable === undefined)) return;
        for (const { type, reason, message } of status.conditions ?? []) {
          if (type !== "Available" && type !== "Progressing") continue;
          seen.add(`${type} ${reason}`);
          if (message.length < 1000) expect(message, `${type} ${reason}`).toContain(shortage);
        }
      },
    ),
    // Fewer cases do not reach every reason.
    { numRuns: 2_000 },
  );
  // A pod that waits although every replica is ready does not occur in these services.
  expect([...seen].sort()).toEqual([
    "Available MinimumNotReady",
    "Available MinimumReady",
    "Available PortUnavailable",
    "Available RouteNotAccepted",
    "Available RouterNotReady",
    "Progressing Deploying",
    "Progressing RollingOut",
    "Progressing Stalled",
  ]);
});
