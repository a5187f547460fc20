import type { DispatchGate, SendableRequest } from "../../../scheduling/dispatch/dispatch-gate.ts";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type {
  BandView,
  FlowView,
  QueuesView,
} from "../../../scheduling/flow-control/queues-view.ts";
import { endpointLoad } from "../../../scheduling/server-model/endpoint-load.ts";

/**
 * Returns the state of the queues, which shows operators why a request waits: bands, their flows, and the slots of
 * endpoints.
 */
export function debugFlows(
  { bands, dispatchedPerSecond, ...queues }: QueuesView,
  endpoints: readonly Endpoint[],
  gate: DispatchGate<SendableRequest>,
) {
  gate.changed();
  const { saturation, stale, free } = gate.view();
  return {
    ...limited(queues),
    dispatchedPerSecond: Math.round(100 * dispatchedPerSecond) / 100,
    bands: bands.map(describeBand),
    saturation,
    pickers: gate.pickers,
    // The measured speed, which decides how long a request waits for an endpoint with its prefix.
    promptTokensPerSecond: Math.round(1_000 / gate.msPerToken),
    staleEndpoints: stale,
    endpoints: endpoints.map((endpoint) => ({
      id: endpoint.id,
      address: endpoint.address,
      load: endpointLoad(endpoint.live),
      slots: gate.slotsOf(endpoint) ?? null,
      isFree: free.includes(endpoint),
    })),
  };
}

const describeBand = ({ flows, ...band }: BandView) => ({
  ...limited(band),
  flows: flows.map(describeFlow),
});

const describeFlow = ({ headWaitsFor, ...flow }: FlowView) => ({
  ...flow,
  headWaitsForMilliseconds: headWaitsFor === undefined ? null : Math.round(headWaitsFor),
});

/** Replaces infinity by null for JSON: null means no limit. */
const limited = <View extends Pick<QueuesView, "maxRequests" | "maxBytes">>(view: View) => ({
  ...view,
  maxRequests: finite(view.maxRequests),
  maxBytes: finite(view.maxBytes),
});

const finite = (most: number): number | null => (Number.isFinite(most) ? most : null);
