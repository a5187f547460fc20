import { DispatchGate } from "../../../scheduling/dispatch/dispatch-gate.ts";
import { FlowController } from "../../../scheduling/flow-control/flow-controller.ts";
import type { FlowControlSettings } from "../../../scheduling/flow-control/settings.ts";
import type { Scheduler } from "../../../scheduling/scheduler.ts";
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
}

/** Flow control of a running picker. */
export interface RunningFlowControl {
  readonly admission: FlowAdmission;
  readonly families: readonly Family[];
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
}: FlowControlInputs): RunningFlowControl {
  const { detector, servers } = scheduler;
  const controller = new FlowController<QueuedRequest>(settings);
  const gate = new DispatchGate<QueuedRequest>({ detector, servers, now: clock.now });
  const queues = () => controller.queues(clock.now());
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
    debug: () => debugFlows(queues(), datastore.snapshot.endpoints, gate),
  };
}
