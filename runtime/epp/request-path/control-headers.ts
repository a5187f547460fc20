import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";

/**
 * Headers that the picker reads or sets, by meaning. The newer name is first and takes precedence (llm-d-router,
 * pkg/epp/metadata; protocol: gateway-api-inference-extension, proposal 004).
 */
export const controlHeader = {
  /** The picked endpoint, which the picker sets on every request. */
  destination: ["x-gateway-destination-endpoint"],
  /** Name of an InferenceObjective. */
  objective: ["x-llm-d-inference-objective", "x-gateway-inference-objective"],
  /** Target model if no rewrite rule matches the request, or the target that a model router drew from a rule. */
  modelRewrite: ["x-llm-d-model-name-rewrite", "x-gateway-model-name-rewrite"],
  /**
   * Model of the request, as a model router in front read or drew it. The picker never sets it: the gateway has
   * selected the route by this header, and matches the route again after the pick.
   */
  modelName: ["x-gateway-model-name"],
  /** Time that a client waits, in ms. */
  timeToLive: ["x-llm-d-request-ttl-ms"],
  /** Time within which a client wants the first token, in ms. */
  firstTokenWithin: ["x-llm-d-slo-ttft-ms"],
  requestId: ["x-request-id"],
  dropReason: ["x-llm-d-request-dropped-reason"],
  /**
   * If a request has this header with any value, the endpoint that served is named in the same header of the response.
   */
  served: ["x-gateway-destination-endpoint-served"],
  /** Conformance suite: pick only these addresses. */
  conformanceSelection: ["test-epp-endpoint-selection"],
  /** Conformance suite: the endpoint that answered, as the proxy reports it. */
  conformanceServed: ["x-conformance-test-served-endpoint"],
} as const;

/** Returns the value of the first of these headers that is not empty. */
export function firstHeader(headers: RequestHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.get(name);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** Path of the request: `:path`, or another header if the proxy sends no pseudo headers. */
export const pathOf = (headers: RequestHeaders): string | undefined =>
  firstHeader(headers, [":path", "x-original-path", "x-forwarded-path"]);
