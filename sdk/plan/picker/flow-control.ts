import type { Fairness, FlowControl } from "../../spec/flow-control.ts";

/** How requests wait, as far as a component says. */
export interface Waiting {
  readonly fairness?: Fairness | undefined;
  readonly flowControl?: FlowControl | undefined;
}

const ordering = "slo-deadline-ordering-policy";

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
  return {
    gates: { featureGates: ["flowControl"] },
    plugins: [{ type, ...(parameters && { parameters }) }, { type: ordering }],
    section: {
      flowControl: {
        defaultRequestTTL: `${flowControl.requestTimeoutSeconds}s`,
        noEndpointRequestTTL: `${flowControl.noServerTimeoutSeconds}s`,
        ...(order === "fairness-first" && { betweenBands: "weighted" }),
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
