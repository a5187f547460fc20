import { unparsedBodyPolicies } from "../../../../sdk/spec/picker-requests.ts";
import { engineFieldPolicies } from "../../../epp/request-path/engine-fields.ts";
import { limits } from "../../../limits.ts";
import type { FlagGroup } from "../../../manager/flags/command-line.ts";
import { duration } from "../../../manager/flags/duration.ts";
import {
  integer,
  offByDefault,
  onByDefault,
  oneOf,
  textOf,
} from "../../../manager/flags/flag-type.ts";

/** Flags for choosing an endpoint. */
export const schedulingFlags = {
  title: "Scheduling",
  flags: {
    configFile: {
      name: "config-file",
      summary:
        "File with the EndpointPickerConfig. Without the flag, the configuration of strategy prefix-cache.",
      type: textOf("FILE"),
    },
    configText: {
      name: "config-text",
      summary: "EndpointPickerConfig as text, instead of --config-file.",
      type: textOf("YAML"),
    },
    refreshMetricsIntervalMs: {
      name: "refresh-metrics-interval",
      summary: "Interval for reading a model server's metrics; at least 50ms.",
      type: duration,
      default: 50,
    },
    staleAfterMs: {
      name: "metrics-staleness-threshold",
      summary: "Age at which metrics are stale; the server loses its score until the next read.",
      type: duration,
      default: 2_000,
    },
    explainHistorySize: {
      name: "explain-history-size",
      summary:
        "Number of recent requests on page /debug/explain, each with its candidate endpoints, the result of each plugin and the chosen endpoint. 0 keeps none. `pulumi-inference explain --request-id` reads the page.",
      type: integer(0, 100_000),
      default: 200,
    },
    disableEndpointSubsetFilter: offByDefault(
      "disable-endpoint-subset-filter",
      "Selects from the whole pool even if the proxy sends a subset.",
    ),
    emitEndpointScores: offByDefault(
      "emit-endpoint-scores",
      "Sends every endpoint's score to the proxy, in dynamic metadata of namespace envoy.lb.",
    ),
    trustModelNameHeader: onByDefault(
      "trust-model-name-header",
      "Obeys the choice of a model router in front: X-Gateway-Model-Name if the pool does not know the body's model, and x-llm-d-model-name-rewrite if this header names a target of the model.",
    ),
    modelRewriteHeader: offByDefault(
      "model-rewrite-header",
      "Obeys x-llm-d-model-name-rewrite: a client can then set the model name for the server if no rule sets it.",
    ),
    engineFields: {
      name: "engine-fields",
      summary:
        "Action for fields that clients may not set, in bodies that the picker reads: kv_transfer_params, ec_transfer_params, bootstrap_*, cache_hit_threshold, disaggregated_params and ranks, and header X-data-parallel-rank. Strips the fields, rejects the request with 400, or allows the fields.",
      type: oneOf(...engineFieldPolicies),
      default: "strip",
    },
    unparsedBodies: {
      name: "unparsed-bodies",
      summary:
        "Policy for requests whose body no parser can read, such as text or a multipart form, on a pool with rewrites, registered models or fields that --engine-fields strips: reject answers with 403, allow forwards them unread.",
      type: oneOf(...unparsedBodyPolicies),
      default: "reject",
    },
    tenantHeader: {
      name: "tenant-header",
      summary:
        "Header with the tenant whose share a queued request uses instead of the share of its LLMService, such as x-llm-d-inference-fairness-id. The gateway must set it and remove it from client requests. Two headers, separated by a comma, name a tenant together. Default: no header is trusted, and requests without an LLMService share one queue.",
      type: textOf("NAME"),
    },
    tenantsPerAddress: {
      name: "tenants-per-address",
      summary:
        "Maximum number of tenants of one client address (the last of X-Forwarded-For) within five minutes; further tenants share one queue. 0 disables the limit, for a load balancer that hides client addresses.",
      type: integer(0, 1_000_000),
      default: limits.tenantsOfAddress.value,
    },
    objectiveHeader: onByDefault(
      "objective-header",
      "Whether a request may name its InferenceObjective, and thus its priority, in a header. Clients can set this header. Priorities of LLMServices always apply.",
    ),
    conformanceHeaders: offByDefault(
      "conformance-headers",
      "Obeys test-epp-endpoint-selection, with which the conformance suite of InferencePool selects endpoints, and returns the endpoint that served. Any client can then select its pod, so use it for conformance tests only.",
    ),
    servedEndpointHeader: onByDefault(
      "served-endpoint-header",
      "Returns the endpoint that served, as ip:port, in response header x-gateway-destination-endpoint-served, if the request has this header. `pulumi-inference request` sends it.",
    ),
    followResponses: offByDefault(
      "follow-responses",
      "Observes every response to its end, for the response metrics: duration, first token, tokens, bytes, status. Without the flag, the picker ends its stream after it has selected the endpoint, if the proxy is Envoy, no model name must be restored and no LLMService counts the request. A restart of the picker then does not cut off the response.",
    ),
  },
} satisfies FlagGroup;
