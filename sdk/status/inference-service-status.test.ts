import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../testing/samples/sample-service.ts";
import { later, type Moment } from "./conditions.ts";
import { type ServiceObjects, statusOf, unreadableStatus } from "./inference-service-status.ts";
import { observeEvent, observeParents, observePodGroup, observeWorkload } from "./observed.ts";
import { inferenceServiceReasons } from "./reasons.ts";
import { componentPhases, InferenceServiceStatus } from "./schemas.ts";
import { objectsOf, type PodState, parsed, t0 } from "./service-objects.fixture.ts";

const twoNodes = { replicas: 2, multinode: { nodeCount: 2 } };
const single = parsed(service([worker(twoNodes)]));
const moment: Moment = { now: t0, generation: 3 };
const at = (seconds: number): Moment => ({ ...moment, now: later(t0, seconds) });

const ready: PodState = { ready: true };
const placed: PodState = { scheduled: true };
const nowhere: PodState = {};

function look(
  state: (pod: string) => PodState | undefined,
  others: Partial<ServiceObjects> = {},
  when = moment,
) {
  const { status, requeueAt } = statusOf(single, objectsOf(single, state, others), undefined, when);
  const { inference } = status.components ?? {};
  if (inference === undefined) throw new Error("no component");
  const { lastUpdateTime: _, ...role } = inference;
  const condition = (type: string) => status.conditions?.find((each) => each.type === type);
  const [available, progressing, degraded] = ["Available", "Progressing", "Degraded"].map(
    condition,
  );
  return { status, requeueAt, role, available, progressing, degraded };
}

const failedCreate = (about: string, lastTimestamp: string) =>
  observeEvent({
    metadata: { name: "e" },
    involvedObject: { kind: "StatefulSet", name: about },
    reason: "FailedCreate",
    message: "exceeded quota",
    lastTimestamp,
  });

describe("phases", () => {
  it.each<[string, string, (pod: string) => PodState | undefined, Partial<ServiceObjects>?]>([
    ["Pending", "no pod exists", () => undefined],
    ["Pending", "no pod has a node", () => nowhere],
    ["Deploying", "one pod has a node", (pod) => (pod === "inference-0-1" ? placed : nowhere)],
    ["Deploying", "a replica lacks a node", (pod) => (pod === "inference-1-1" ? placed : ready)],
    ["Running", "every pod is ready", () => ready],
    [
      "Failed",
      "a pod crashes",
      (pod) =>
        pod === "inference-0-0" ? { scheduled: true, waiting: "CrashLoopBackOff" } : placed,
    ],
    ["Failed", "a pod has crashed often", () => ({ scheduled: true, restarts: 3 })],
    ["Failed", "an image cannot be pulled", () => ({ scheduled: true, waiting: "ErrImagePull" })],
    ["Failed", "a pod has had no node for 600 s", () => ({ unschedulableSince: later(t0, -600) })],
    ["Pending", "a pod has had no node for 599 s", () => ({ unschedulableSince: later(t0, -599) })],
    [
      "Deploying",
      "the minimum is ready and a pod crashes",
      (pod) =>
        pod.startsWith("inference-0") ? ready : { scheduled: true, waiting: "CrashLoopBackOff" },
    ],
    [
      "Failed",
      "pods cannot be created",
      () => undefined,
      { events: [failedCreate("svc-inference-0", t0)] },
    ],
    [
      "Failed",
      "workers cannot be created",
      (pod) => (pod.endsWith("-0") ? placed : undefined),
      { events: [failedCreate("svc-inference-1-0", t0)] },
    ],
    [
      "Pending",
      "pods of another role could not be created",
      () => undefined,
      { events: [failedCreate("svc-inference2-0", t0)] },
    ],
    [
      "Pending",
      "pods could not be created 1,200 s ago",
      () => undefined,
      { events: [failedCreate("svc-inference-0", later(t0, -1200))] },
    ],
    ["Unknown", "the cluster cannot be read", () => ready, { stale: "v1/pods cannot be read" }],
    ["Pending", "no object exists yet", () => undefined, { workloads: [] }],
    ["Deploying", "its pods outlive its LeaderWorkerSets", () => ready, { workloads: [] }],
    [
      "Deploying",
      "pods could not be created before one was",
      (pod) => (pod === "inference-0-0" ? { scheduled: true, created: later(t0, 1) } : undefined),
      { events: [failedCreate("svc-inference-0", t0)] },
    ],
  ])("a role is %s if %s", (phase, _why, state, others) => {
    expect(look(state, others).role.phase).toBe(phase);
  });

  it("a role is Failed if a controller recreates a group three times", () => {
    const event = (count: number) =>
      observeEvent({
        metadata: { name: "e" },
        involvedObject: { kind: "LeaderWorkerSet", name: "svc-inference-0" },
        reason: "RecreateGroup",
        message: "Worker pod failed",
        series: { count, lastObservedTime: "2026-01-01T00:00:00.123456Z" },
      });
    expect(look(() => placed, { events: [event(3)] }).role.phase).toBe("Failed");
    expect(look(() => placed, { events: [event(2)] }).role.phase).toBe("Deploying");
  });

  it("a role is not Running while groups run an older template or the controller has not seen the spec", () => {
    const workloads = (generation: number, updatedReplicas: number) =>
      objectsOf(single, () => ready).workloads.map(({ name }) =>
        observeWorkload({
          metadata: { name, generation },
          status: { observedGeneration: 1, replicas: 1, updatedReplicas },
        }),
      );
    expect(look(() => ready, { workloads: workloads(1, 1) }).role.phase).toBe("Running");
    for (const rolling of [workloads(1, 0), workloads(2, 1)]) {
      const { role, progressing, available } = look(() => ready, { workloads: rolling });
      expect(role.phase).toBe("Deploying");
      expect(progressing).toMatchObject({ status: "True", reason: "RollingOut" });
      expect(available?.status).toBe("True");
    }
  });

  it("the phases are the ones in the design", () => {
    expect(InferenceServiceStatus.shape.components.unwrap().valueType.shape.phase.options).toEqual([
      "Pending",
      "Deploying",
      "Running",
      "Failed",
      "Unknown",
    ]);
  });
});

it("counts ready pods, including incomplete replicas and excluding pods that are being deleted", () => {
  const states: Record<string, PodState> = {
    "inference-0-0": ready,
    "inference-0-1": ready,
    "inference-1-0": { ...ready, deleting: true },
    "inference-1-1": ready,
  };
  expect(look((pod) => states[pod]).role).toEqual({
    desiredReplicas: 2,
    readyReplicas: 1,
    nodesPerReplica: 2,
    totalPods: 4,
    readyPods: 3,
    phase: "Deploying",
  });
});

describe("conditions", () => {
  it("conditions contain the ready replicas and the failing pod", () => {
    const { available, progressing, degraded } = look((pod) =>
      pod === "inference-1-1" ? { scheduled: true, waiting: "CrashLoopBackOff" } : ready,
    );
    expect(available).toEqual({
      type: "Available",
      status: "True",
      reason: "MinimumReady",
      message:
        "inference: 1 of 2 replicas ready (3 of 4 pods), pod inference-1-1: CrashLoopBackOff",
      lastTransitionTime: t0,
      observedGeneration: 3,
    });
    expect(progressing).toMatchObject({ status: "False", reason: "Stalled" });
    expect(degraded).toMatchObject({ status: "True", reason: "PodsFailing" });
  });

  it("conditions list the missing objects", () => {
    const { available, progressing } = look(() => undefined, { workloads: [] });
    expect(available).toMatchObject({
      status: "False",
      reason: "MinimumNotReady",
      message:
        "inference: 0 of 2 replicas ready (0 of 4 pods), LeaderWorkerSet svc-inference-0, LeaderWorkerSet svc-inference-1 not yet created",
    });
    expect(progressing).toMatchObject({ status: "True", reason: "Deploying" });
  });

  it("all conditions are Unknown with the reason if the cluster cannot be read, and the counts stay", () => {
    const before = look(() => ready).status;
    const objects = objectsOf(single, () => nowhere, { stale: "no answer" });
    const { status } = statusOf(single, objects, before, at(9));
    expect(
      status.conditions?.map(({ status, reason, message }) => [status, reason, message]),
    ).toEqual(Array(3).fill(["Unknown", "StaleCache", "no answer"]));
    expect(status.components?.inference).toMatchObject({ readyPods: 4, phase: "Unknown" });
  });

  it("all conditions of an invalid service are False, and its roles keep their status", () => {
    const before = look(() => ready).status;
    const status = unreadableStatus("roles: is absent", before, at(9));
    expect(status.components).toEqual(before.components);
    expect(status.conditions?.map(({ status, reason }) => [status, reason])).toEqual(
      Array(3).fill(["False", "InvalidSpec"]),
    );
  });
});

describe("a gang", () => {
  const gang = (phase: string, message?: string) => {
    const conditions = [
      { type: "Scheduled", status: "True", lastTransitionTime: "2025-12-31T00:00:00Z" },
      ...(message === undefined
        ? []
        : [{ type: "Unschedulable", status: "True", message, lastTransitionTime: t0 }]),
    ];
    return {
      podGroup: observePodGroup({ metadata: { name: "svc" }, status: { phase, conditions } }),
    };
  };
  const pd = parsed(
    service([prefiller({ replicas: 2 }), decoder({ ...twoNodes, minReplicas: 2 })]),
  );
  const says = (
    others: Partial<ServiceObjects>,
    state: (pod: string) => PodState = () => nowhere,
  ) =>
    statusOf(pd, objectsOf(pd, state, others), undefined, moment).status.conditions?.[0]?.message;

  it("reports the number of missing nodes, and that the scheduler gives no reason", () => {
    const message =
      "2/6 tasks in gang unschedulable: pod group is not ready, 6 Pending, 5 minAvailable";
    expect(says(gang("Inqueue", message))).toBe(
      `prefill: 0 of 2 replicas ready, decode: 0 of 2 replicas ready (0 of 4 pods); waiting for 2 of 5 nodes (Volcano gives no reason)`.replace(
        ", decode",
        "; decode",
      ),
    );
  });

  it("counts pods without a node if the scheduler reports no number", () => {
    expect(says(gang("Pending"))).toMatch(/; waiting for 5 of 5 nodes$/);
    expect(says(gang("Unknown"), (pod) => (pod.startsWith("decode") ? placed : nowhere))).toMatch(
      /; waiting for 1 of 5 nodes$/,
    );
  });

  it("a gang that has started waits for nothing", () => {
    expect(says(gang("Running"))).not.toMatch(/waiting/);
  });
});

describe("a router", () => {
  const routed = parsed(service([worker(), router({ replicas: 2 })]));
  const says = (
    state: (pod: string) => PodState | undefined,
    others: Partial<ServiceObjects> = {},
  ) => {
    const { status } = statusOf(routed, objectsOf(routed, state, others), undefined, moment);
    return { available: status.conditions?.[0], router: status.components?.router };
  };
  const parents = (...conditions: Array<[type: string, status: string]>) =>
    observeParents({
      metadata: { name: "x" },
      status: {
        parents: [
          {
            parentRef: { name: "gateway" },
            conditions: conditions.map(([type, status]) => ({
              ...{ type, status, reason: "NoMatch", message: "why", lastTransitionTime: t0 },
            })),
          },
        ],
      },
    });

  it("counts the pods of its picker", () => {
    const { router: role, available } = says((pod) => (pod === "epp-1" ? placed : ready));
    expect(role).toMatchObject({ desiredReplicas: 2, readyPods: 1, phase: "Deploying" });
    expect(available?.status).toBe("True");
  });

  it("has the replicas of the picker's Deployment if the picker is shared", () => {
    const sharing = parsed(
      service([worker(), router({ shared: { name: "shared", port: 10_000 } })]),
    );
    const picker = (replicas: number) =>
      observeWorkload({
        metadata: { name: "shared-epp" },
        spec: { replicas },
        status: { replicas, updatedReplicas: replicas },
      });
    const told = (state: PodState, deployment: ServiceObjects["picker"]) => {
      const objects = objectsOf(sharing, (pod) => (pod === "epp-0" ? state : ready), {
        picker: deployment,
      });
      const { status } = statusOf(sharing, objects, undefined, moment);
      return { router: status.components?.router, available: status.conditions?.[0] };
    };
    expect(told(ready, picker(3))).toMatchObject({
      router: { desiredReplicas: 3, readyPods: 1 },
      available: { status: "True" },
    });
    expect(told(placed, picker(3)).available).toMatchObject({ reason: "RouterNotReady" });
    expect(told(placed, undefined).available?.message).toContain(
      "Deployment shared-epp not yet created",
    );
  });

  it.each([
    ["RouterNotReady", (pod: string) => (pod.startsWith("epp") ? placed : ready), {}],
    ["MinimumNotReady", () => placed, {}],
    ["PortUnavailable", () => ready, { refusal: "port 10000 belongs to pool a; name another" }],
    ["RouteNotAccepted", () => ready, { pool: undefined }],
    ["RouteNotAccepted", () => ready, { route: undefined }],
    ["RouteNotAccepted", () => ready, { route: parents() }],
    ["RouteNotAccepted", () => ready, { route: parents(["Accepted", "False"]) }],
    [
      "RouteNotAccepted",
      () => ready,
      { route: parents(["Accepted", "True"], ["ResolvedRefs", "False"]) },
    ],
    ["RouteNotAccepted", () => ready, { pool: parents(["Accepted", "False"]) }],
  ])("makes the service unavailable: %s", (reason, state, others) => {
    expect(says(state, others).available).toMatchObject({ status: "False", reason });
  });

  it("the service is available if one gateway refuses its route and another accepts it", () => {
    const parent = (name: string, status: string) => ({
      parentRef: { name },
      conditions: ["Accepted", "ResolvedRefs"].map((type) => ({
        ...{ type, status, reason: "NoMatch", message: "why", lastTransitionTime: t0 },
      })),
    });
    const route = observeParents({
      metadata: { name: "x" },
      status: { parents: [parent("internal", "False"), parent("public", "True")] },
    });
    expect(says(() => ready, { route }).available?.status).toBe("True");
  });

  it("the message contains a gateway's reason to refuse the route", () => {
    const route = parents(["Accepted", "True"], ["ResolvedRefs", "False"]);
    expect(says(() => ready, { route }).available?.message).toBe(
      "HTTPRoute svc-httproute: gateway reports NoMatch: why",
    );
  });

  it("needs no gateway if the service has no route", () => {
    const inner = parsed(service([worker(), router({ httproute: undefined })]));
    const { status } = statusOf(
      inner,
      objectsOf(inner, () => ready),
      undefined,
      moment,
    );
    expect(status.conditions?.[0]?.status).toBe("True");
  });
});

describe("times", () => {
  it("times change only if the fields that they belong to change", () => {
    const first = look(() => placed).status;
    const same = statusOf(
      single,
      objectsOf(single, () => placed),
      first,
      at(60),
    ).status;
    expect(same).toEqual(first);
    const next = statusOf(
      single,
      objectsOf(single, () => ready),
      first,
      at(60),
    ).status;
    expect(next.components?.inference?.lastUpdateTime).toBe(at(60).now);
    expect(
      next.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    ).toEqual([
      ["Available", at(60).now],
      ["Progressing", at(60).now],
      ["Degraded", t0],
    ]);
  });

  it("requeueAt is the time at which a pod without a node becomes a failure", () => {
    const since = later(t0, -100);
    expect(look(() => ({ unschedulableSince: since })).requeueAt).toBe(later(since, 600));
    expect(look(() => ready).requeueAt).toBeUndefined();
  });

  it("requeueAt is the time at which a warning expires", () => {
    const { requeueAt } = look(() => undefined, { events: [failedCreate("svc-inference-0", t0)] });
    expect(requeueAt).toBe(later(t0, 1200));
  });
});

describe("for any service and any state of its pods", () => {
  const anyPod: fc.Arbitrary<PodState | undefined> = fc.option(
    fc.record(
      {
        ready: fc.boolean(),
        scheduled: fc.boolean(),
        deleting: fc.boolean(),
        waiting: fc.constantFrom("CrashLoopBackOff", "ContainerCreating"),
        restarts: fc.nat(5),
        unschedulableSince: fc.integer({ min: -900, max: 0 }).map((ago) => later(t0, ago)),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  const anyStates = fc.infiniteStream(anyPod);
  const anyCluster = fc
    .tuple(arbitraryService, anyStates, fc.option(fc.constant("stale"), { nil: undefined }))
    .map(([input, states, stale]) => {
      const parsedService = parsed(input);
      const objects = objectsOf(parsedService, () => states.next().value, { stale });
      return { service: parsedService, objects };
    });

  it("counts are consistent, and phases and reasons are in their lists", () => {
    fc.assert(
      fc.property(anyCluster, ({ service: any, objects }) => {
        const { status } = statusOf(any, objects, undefined, moment);
        expect(Object.keys(status.components ?? {})).toEqual(
          any.spec.roles.map(({ name }) => name),
        );
        for (const role of Object.values(status.components ?? {})) {
          expect(role.totalPods).toBe(role.desiredReplicas * role.nodesPerReplica);
          expect(role.readyPods).toBeLessThanOrEqual(role.totalPods);
          expect(role.readyReplicas * role.nodesPerReplica).toBeLessThanOrEqual(role.readyPods);
          expect(componentPhases).toContain(role.phase);
          if (role.phase === "Running") expect(role.readyReplicas).toBe(role.desiredReplicas);
        }
        for (const { type, status: holds, reason } of status.conditions ?? []) {
          const table = inferenceServiceReasons as Record<string, Record<string, object>>;
          expect(Object.keys(table[type]?.[holds] ?? {})).toContain(reason);
        }
        expect(InferenceServiceStatus.safeParse(status).error).toBeUndefined();
      }),
    );
  });

  it("a second computation returns the same status", () => {
    fc.assert(
      fc.property(anyCluster, fc.nat(30), ({ service: any, objects }, seconds) => {
        const first = statusOf(any, objects, undefined, moment);
        const soon = at(seconds);
        fc.pre(first.requeueAt === undefined || first.requeueAt > soon.now);
        expect(statusOf(any, objects, first.status, soon).status).toEqual(first.status);
      }),
    );
  });
});
