import { type PoolGatewayType, poolSupportOf } from "../../gateways/index.ts";
import { type Fairness, FlowControl } from "../../spec/flow-control.ts";

/** Flow-control settings of a picker. Without `flowControl` requests are not queued. */
export interface Waiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: (FlowControl & Timeouts) | undefined;
}

type Timeouts = Readonly<Record<keyof typeof patience, number>>;

/** Returns the flow-control settings of a component, with the plan's defaults. */
export function waitingOf(
  { fairness, flowControl = FlowControl.parse({}), export: exported }: WrittenWaiting,
  gateway: PoolGatewayType,
): Waiting {
  const {
    requestTimeoutSeconds = timeout("requestTimeoutSeconds", gateway),
    noServerTimeoutSeconds = exported === undefined
      ? timeout("noServerTimeoutSeconds", gateway)
      : declinedAfter,
  } = flowControl;
  return {
    fairness,
    flowControl: { ...flowControl, requestTimeoutSeconds, noServerTimeoutSeconds },
  };
}

interface WrittenWaiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: FlowControl | undefined;
  /** Set if other clusters import the pool. */
  readonly export?: object | undefined;
}

/** Default limits of the time in the queue, in seconds. */
const patience = {
  /** About the time that a user of a chat waits for the start of a response. */
  requestTimeoutSeconds: 30,
  /**
   * Time that a model server of a pool that was scaled to zero needs to start: on a node that has the image, weights of
   * 100 GB read at 0.5 GB/s leave 100 s for the engine. Set the argument for a pool whose servers take longer.
   */
  noServerTimeoutSeconds: 300,
};

/**
 * Time in seconds after which an empty exported pool refuses a request, so that the importing cluster tries another
 * cluster.
 */
const declinedAfter = 1;

/**
 * Returns the default limit of a wait, which must be below the gateway's timeout. If the gateway times out first, its
 * client gets an error without a reason, or, with FailOpen, the request is sent to any pod.
 */
const timeout = (wait: keyof typeof patience, gateway: PoolGatewayType): number =>
  Math.min(patience[wait], poolSupportOf(gateway).pickerTimeoutSeconds - 1);

const ordering = "slo-deadline-ordering-policy";
/** Reserves some slots for requests with an objective, if objectives come first. */
const ceilings = "slot-reserve-policy";

/**
 * A server counts as full at 92 % of its KV cache. With the upstream default of 80 % a fifth of the cache stays unused,
 * and requests for a prefix cached there wait or recompute it. The last 8 % are for responses that are still being
 * generated.
 */
const detector = { type: "utilization-detector", parameters: { kvCacheUtilThreshold: 0.92 } };

/** The detector with an objective for the time between tokens, in ms, and the slots of each server. */
const detectorOf = (msBetweenTokensThreshold: number | undefined, slots: number | undefined) => ({
  ...detector,
  parameters: {
    ...detector.parameters,
    ...(msBetweenTokensThreshold && { msBetweenTokensThreshold }),
    ...(slots && { maxConcurrency: slots }),
  },
});

const fairnessPlugins = {
  weighted: "weighted-fairness-policy",
  "round-robin": "round-robin-fairness-policy",
  "first-come": "global-strict-fairness-policy",
} as const satisfies Record<Fairness["policy"], string>;

/**
 * Returns the flow-control part of an EndpointPickerConfig. Empty if flow control is off. Bands are dispatched in
 * strict order, or by equal weights.
 *
 * @param requestSlots requests that each endpoint runs at once. Default: the picker learns it
 */
export function flowControlConfig({ fairness, flowControl }: Waiting, requestSlots?: number) {
  if (flowControl?.enabled !== true) return { gates: {}, plugins: [], section: {} };
  const { policy = "weighted", order = "objectives-first", weights } = fairness ?? {};
  const type = fairnessPlugins[policy];
  const parameters = policy === "weighted" && weights !== undefined ? { weights } : undefined;
  const isStrict = order === "objectives-first";
  return {
    gates: { featureGates: ["flowControl"] },
    plugins: [
      { type, ...(parameters && { parameters }) },
      { type: ordering },
      ...(isStrict ? [{ type: ceilings }] : []),
      detectorOf(flowControl.timeBetweenTokensMs, requestSlots),
    ],
    section: {
      flowControl: {
        defaultRequestTTL: `${flowControl.requestTimeoutSeconds}s`,
        noEndpointRequestTTL: `${flowControl.noServerTimeoutSeconds}s`,
        ...(isStrict ? { usageLimitPolicyPluginRef: ceilings } : { bandPolicy: "weighted" }),
        saturationDetector: { pluginRef: detector.type },
        defaultPriorityBand: {
          maxRequests: String(flowControl.maxRequests),
          maxBytes: flowControl.maxBytes,
          fairnessPolicyRef: type,
          orderingPolicyRef: ordering,
        },
      },
    },
  };
}
