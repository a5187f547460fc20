import { type PoolGatewayType, poolSupportOf } from "../../gateways/index.ts";
import { type Fairness, FlowControl } from "../../spec/flow-control.ts";

/** How requests wait in a picker; they do not without `flowControl`. */
export interface Waiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: (FlowControl & { readonly requestTimeoutSeconds: number }) | undefined;
}

/** What a component says of waiting, with what is planned where it says nothing. */
export function waitingOf(
  { fairness, flowControl = FlowControl.parse({}) }: WrittenWaiting,
  gateway: PoolGatewayType,
): Waiting {
  const { requestTimeoutSeconds = requestTimeout(gateway) } = flowControl;
  return { fairness, flowControl: { ...flowControl, requestTimeoutSeconds } };
}

interface WrittenWaiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: FlowControl | undefined;
}

/** Seconds for which somebody waits for the beginning of an answer in a chat. */
const patience = 30;

/** The gateway must not give up first: its client would get an error that says nothing, and with FailOpen the request would go. */
const requestTimeout = (gateway: PoolGatewayType): number =>
  Math.min(patience, poolSupportOf(gateway).pickerTimeoutSeconds - 1);

const ordering = "slo-deadline-ordering-policy";
/** If objectives come first, some slots are left to them. */
const ceilings = "slot-reserve-policy";

/**
 * When a server is full. Upstream says from four fifths of its KV cache on: then a fifth is never used, and who comes for a prefix
 * that is cached there waits or computes it anew. From nine tenths on there is still room for the answers that are being written.
 */
const detector = { type: "utilization-detector", parameters: { kvCacheUtilThreshold: 0.9 } };

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
      detector,
    ],
    section: {
      flowControl: {
        defaultRequestTTL: `${flowControl.requestTimeoutSeconds}s`,
        noEndpointRequestTTL: `${flowControl.noServerTimeoutSeconds}s`,
        ...(isStrict ? { usageLimitPolicyPluginRef: ceilings } : { betweenBands: "weighted" }),
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
