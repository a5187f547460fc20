import { label, lwsLabel, taskName } from "../names.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import {
  type InferenceService,
  type InferenceServiceInput,
  routerOf,
} from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import { routerPickerOf } from "../topology/router-picker.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import type { ServiceObjects } from "./inference-service-status.ts";
import {
  type ObservedParents,
  observeParents,
  observePod,
  observePodGroup,
  observeWorkload,
} from "./observed.ts";

export interface PodState {
  readonly ready?: boolean;
  readonly scheduled?: boolean;
  readonly deleting?: boolean;
  /** Reason that its container waits. */
  readonly waiting?: string;
  readonly restarts?: number;
  /** Time since which the scheduler has found no node. */
  readonly unschedulableSince?: string;
  /** The scheduler's message about it. */
  readonly shortage?: string;
  readonly created?: string;
}

export const t0 = "2026-01-01T00:00:00Z";

/** Returns the pods of a service. `state` gets names such as `role-replica-node`, and returns undefined for no pod. */
export function podsOf(
  { metadata, spec }: InferenceService,
  state: (pod: string) => PodState | undefined,
): unknown[] {
  const roles = layOut(metadata.name, spec).flatMap(({ role, size, replicas, perReplica }) =>
    Array.from({ length: replicas }, (_, replica) =>
      Array.from({ length: size }, (_, node) =>
        pod(`${taskName(role.name, replica)}-${node}`, state, {
          [label.service]: metadata.name,
          [label.roleName]: role.name,
          [label.componentType]: role.componentType,
          [lwsLabel.groupKey]: taskName(role.name, replica),
          [lwsLabel.workerIndex]: String(node),
          ...(perReplica ? { [label.replicaIndex]: String(replica) } : {}),
        }),
      ),
    ),
  );
  const router = routerOf(spec);
  // The pods of a shared picker belong to no service.
  const owner: Record<string, string> =
    router?.shared === undefined ? { [label.service]: metadata.name } : {};
  const pickers = Array.from({ length: router?.replicas ?? 0 }, (_, at) =>
    pod(`epp-${at}`, state, {
      ...owner,
      [label.app]: routerPickerOf(metadata.name, router ?? {}).name,
    }),
  );
  return [...roles.flat(2), ...pickers].filter((each) => each !== undefined);
}

function pod(
  name: string,
  stateOf: (pod: string) => PodState | undefined,
  labels: Record<string, string>,
): unknown {
  const state = stateOf(name);
  if (state === undefined) return undefined;
  const { ready = false, scheduled = ready, waiting, restarts = 0, unschedulableSince } = state;
  const condition = (type: string, holds: boolean, rest: object = {}) => ({
    type,
    status: holds ? "True" : "False",
    lastTransitionTime: t0,
    ...rest,
  });
  return {
    metadata: {
      name,
      labels,
      creationTimestamp: state.created ?? t0,
      ...(state.deleting && { deletionTimestamp: t0 }),
    },
    spec: scheduled ? { nodeName: "node" } : {},
    status: {
      conditions: [
        condition("Ready", ready),
        ...(unschedulableSince === undefined
          ? []
          : [
              condition("PodScheduled", false, {
                reason: "Unschedulable",
                message: state.shortage ?? "0/3 nodes are available",
                lastTransitionTime: unschedulableSince,
              }),
            ]),
      ],
      containerStatuses: [
        {
          name: "vllm",
          ready,
          restartCount: restarts,
          state: waiting === undefined ? { running: {} } : { waiting: { reason: waiting } },
        },
      ],
    },
  };
}

export const parsed = (input: InferenceServiceInput): InferenceService =>
  parseInferenceService(input);

const accepted = ["Accepted", "ResolvedRefs"].map((type) => ({
  ...{ type, status: "True" as const, reason: type, message: "", lastTransitionTime: t0 },
}));

/** An object that its gateway has accepted. */
export const takenUp = (name: string): ObservedParents =>
  observeParents({
    metadata: { name },
    status: { parents: [{ parentRef: { name: "gateway" }, conditions: accepted }] },
  });

/** Returns the objects of a service after its controllers have processed them, with pods in the given states. */
export function objectsOf(
  service: InferenceService,
  state: (pod: string) => PodState | undefined,
  others: Partial<ServiceObjects> = {},
): ServiceObjects {
  const planned = planInferenceService({ ...service });
  const ofKind = (kind: string) => planned.filter((manifest) => manifest.kind === kind);
  const seen = (manifest: object) =>
    observeWorkload({ ...manifest, status: { replicas: 1, updatedReplicas: 1 } });
  const [podGroup] = ofKind("PodGroup");
  const [pool] = ofKind("InferencePool");
  const [route] = ofKind("HTTPRoute");
  const [picker] = ofKind("Deployment");
  return {
    pods: podsOf(service, state).map((pod) => observePod(pod)),
    workloads: ofKind("LeaderWorkerSet").map(seen),
    events: [],
    podGroup: podGroup && observePodGroup({ ...podGroup, status: { phase: "Running" } }),
    picker: picker && seen(picker),
    pool: pool && observeParents(pool),
    route: route && takenUp(route.metadata.name),
    refusal: undefined,
    recyclesPods: undefined,
    stale: undefined,
    ...others,
  };
}
