import type { RequestHeaders } from "../../../scheduling/request-headers.ts";

/**
 * Headers that steer the picker or that it sets, by meaning; the newer name first, which wins
 * (llm-d-router, pkg/epp/metadata; protocol: gateway-api-inference-extension, proposal 004).
 */
export const controlHeader = {
  /** Chosen endpoint: the answer of every pick. */
  destination: ["x-gateway-destination-endpoint"],
  /** Name of an InferenceObjective. */
  objective: ["x-llm-d-inference-objective", "x-gateway-inference-objective"],
  /** Target model where no rewrite rule is for the request; or what a model router drew of a rule's targets. */
  modelRewrite: ["x-llm-d-model-name-rewrite", "x-gateway-model-name-rewrite"],
  /**
   * Model of the request as a model router in front read or drew it. A picker never sets it: the gateway has chosen the
   * route by it, and chooses anew after the pick.
   */
  modelName: ["x-gateway-model-name"],
  /** Milliseconds for which a client waits. */
  timeToLive: ["x-llm-d-request-ttl-ms"],
  /** Milliseconds within which a client wants the first token. */
  firstTokenWithin: ["x-llm-d-slo-ttft-ms"],
  requestId: ["x-request-id"],
  dropReason: ["x-llm-d-request-dropped-reason"],
  /** A request that carries it, whatever its value, has the endpoint that served in its response, under the same name. */
  served: ["x-gateway-destination-endpoint-served"],
  /** Conformance suite: pick only these addresses. */
  conformanceSelection: ["test-epp-endpoint-selection"],
  /** Conformance suite: the endpoint that answered, as the proxy reports it. */
  conformanceServed: ["x-conformance-test-served-endpoint"],
} as const;

/** Flow of requests without a key. */
export const defaultFairnessId = "default-flow";

/** Value of the first of the names that the request has. */
export function firstHeader(headers: RequestHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.get(name);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** Path of the request: `:path`, or another header for proxies that send no pseudo headers. */
export const pathOf = (headers: RequestHeaders): string | undefined =>
  firstHeader(headers, [":path", "x-original-path", "x-forwarded-path"]);
