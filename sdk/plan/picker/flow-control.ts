import { type PoolGatewayType, poolSupportOf } from "../../gateways/index.ts";
import { type Fairness, FlowControl } from "../../spec/flow-control.ts";

/** How requests wait in a picker; they do not without `flowControl`. */
export interface Waiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: (FlowControl & Timeouts) | undefined;
}

type Timeouts = Readonly<Record<keyof typeof patience, number>>;

/** What a component says of waiting, with what is planned where it says nothing. */
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

/** Default limits of a wait, in seconds. */
const patience = {
  /** As long as a person waits for the beginning of an answer in a chat. */
  requestTimeoutSeconds: 30,
  /**
   * As long as a model server of a pool that was scaled to zero takes to start: a node that has the image, and weights of
   * 100 GB read at 0.5 GB/s, leave 100 s for the engine. A pool whose servers take longer sets the argument.
   */
  noServerTimeoutSeconds: 300,
};

/** Seconds after which an empty pool that is exported refuses a request, so that the importing cluster asks another cluster. */
const declinedAfter = 1;

/**
 * The gateway must not give up first: its client would get an error without a reason, and with FailOpen the request would go to
 * any pod.
 */
const timeout = (wait: keyof typeof patience, gateway: PoolGatewayType): number =>
  Math.min(patience[wait], poolSupportOf(gateway).pickerTimeoutSeconds - 1);

const ordering = "slo-deadline-ordering-policy";
/** If objectives come first, some slots are left to them. */
const ceilings = "slot-reserve-policy";

/**
 * When a server is full. Upstream says from four fifths of its KV cache on: then a fifth is never used, and who comes for a prefix
 * that is cached there waits or computes it anew. From nine tenths on there is still room for the answers that are being written.
 */
const detector = { type: "utilization-detector", parameters: { kvCacheUtilThreshold: 0.9 } };

/** The same with an objective for the time between tokens. */
const detectorOf = (msBetweenTokensThreshold: number | undefined) => ({
  ...detector,
  parameters: {
    ...detector.parameters,
    ...(msBetweenTokensThreshold && { msBetweenTokensThreshold }),
  },
});

const fairnessPlugins = {
  weighted: "weighted-fairness-policy",
  "round-robin": "round-robin-fairness-policy",
  "first-come": "global-strict-fairness-policy",
} as const satisfies Record<Fairness["policy"], string>;

/**
 * The part of an EndpointPickerConfig by which requests wait: nothing where flow control is off. Priorities share strictly,
 * or by weights that are all alike.
 */
export function flowControlConfig({ fairness, flowControl }: Waiting) {
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
      detectorOf(flowControl.timeBetweenTokensMs),
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
