import { DispatchGate } from "../../../scheduling/dispatch/dispatch-gate.ts";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { FlowController } from "../../../scheduling/flow-control/flow-controller.ts";
import type { FlowControlSettings } from "../../../scheduling/flow-control/settings.ts";
import type { Scheduler } from "../../../scheduling/profiles/scheduler.ts";
import {
  DesiredReplicas,
  type RoleLoad,
  type ScaleRule,
} from "../../../scheduling/scaling/desired-replicas.ts";
import { endpointLoad } from "../../../scheduling/server-model/endpoint-load.ts";
import { label } from "../../../sdk/names.ts";
import type { Clock } from "../../epp/clock.ts";
import type { Datastore } from "../../epp/datastore/datastore.ts";
import { FlowAdmission } from "../../epp/request-path/flow-admission.ts";
import type { QueuedRequest } from "../../epp/request-path/queued-request.ts";
import { debugFlows } from "../../epp/telemetry/debug-flows.ts";
import { FlowMetrics } from "../../epp/telemetry/flow-metrics.ts";
import type { Family } from "../../manager/metrics/family.ts";

export interface FlowControlInputs {
  readonly settings: FlowControlSettings;
  /** Type of the saturation detector, for metrics. */
  readonly detectorType: string;
  readonly scheduler: Scheduler;
  readonly datastore: Datastore;
  readonly clock: Clock;
  readonly modelLabel: (model: string) => string;
  /** Undefined if no autoscaler scales the pool's service. */
  readonly scaling: ScaleRule | undefined;
}

/** Flow control of a running picker. */
export interface RunningFlowControl {
  readonly admission: FlowAdmission;
  readonly families: readonly Family[];
  /** Returns the content of `/scaling`; undefined if no autoscaler scales the pool's service. */
  readonly scaling: (() => ScalingPage) | undefined;
  /** Returns the content of `/debug/flows`. */
  debug(): object;
}

/** Creates the parts of flow control: queues, dispatch gate, admission and metrics. */
export function startFlowControl({
  settings,
  detectorType,
  scheduler,
  datastore,
  clock,
  modelLabel,
  scaling,
}: FlowControlInputs): RunningFlowControl {
  const { detector, state } = scheduler;
  const controller = new FlowController<QueuedRequest>(settings);
  const { requestTtl: timeToLive } = settings;
  const gate = new DispatchGate<QueuedRequest>({
    detector,
    servers: state.servers,
    now: clock.now,
    timeToLive,
  });
  const queues = () => controller.queues(clock.now());
  const desired = scaling && new DesiredReplicas(scaling);
  const desiredOfRoles = () =>
    desired?.replicas(queues().requests, roleLoads(datastore.snapshot.endpoints, gate)) ??
    new Map<string, number>();
  const metrics = new FlowMetrics(
    {
      pool: () => datastore.snapshot.pool?.name ?? "",
      queues,
      gate: () => {
        gate.changed();
        return gate.view();
      },
      endpoints: () => datastore.snapshot.endpoints.length,
      detector: detectorType,
      desiredOfRoles,
    },
    modelLabel,
  );
  const evicts = settings.eviction !== undefined;
  const admission = new FlowAdmission({
    ...{ controller, gate, scheduler, clock, evicts },
    observer: metrics,
  });
  datastore.onEndpoints((endpoints) => admission.endpointsChanged(endpoints));
  return {
    admission,
    get families() {
      return metrics.families;
    },
    scaling: scaling && (() => ({ roles: Object.fromEntries(desiredOfRoles()) })),
    debug: () => debugFlows(queues(), datastore.snapshot.endpoints, gate),
  };
}

/** Page `/scaling`, which autoscalers read: the number of replicas of each role that the present requests need. */
export interface ScalingPage {
  readonly roles: Readonly<Record<string, number>>;
}

/** Sums the endpoints of each role. The ranks of a pod are one replica. */
export function roleLoads(
  endpoints: readonly Endpoint[],
  gate: Pick<DispatchGate<QueuedRequest>, "slotsOf" | "isLimitKnown">,
): RoleLoad[] {
  const roles = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const role = endpoint.labels[label.roleName] ?? "";
    roles.set(role, [...(roles.get(role) ?? []), endpoint]);
  }
  return [...roles].map(([role, all]) => ({
    role,
    replicas: new Set(all.map(({ podUid }) => podUid)).size,
    load: all.reduce((sum, { live }) => sum + endpointLoad(live), 0),
    slots: all.reduce((sum, endpoint) => sum + (gate.slotsOf(endpoint) ?? 0), 0),
    isLimitKnown: all.some((endpoint) => gate.isLimitKnown(endpoint)),
  }));
}
