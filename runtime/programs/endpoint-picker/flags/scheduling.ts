import { unparsedBodyPolicies } from "../../../../sdk/spec/picker-requests.ts";
import { engineFieldPolicies } from "../../../endpoint-picker/request-path/engine-fields.ts";
import { limits } from "../../../limits.ts";
import type { FlagGroup } from "../../../manager/flags/command-line.ts";
import { duration } from "../../../manager/flags/duration.ts";
import { boolean, integer, oneOf, textOf } from "../../../manager/flags/flag-type.ts";

/** How an endpoint is chosen. */
export const schedulingFlags = {
  title: "Scheduling",
  flags: {
    configFile: {
      name: "config-file",
      summary: "EndpointPickerConfig to schedule by; without one that of strategy prefix-cache.",
      type: textOf("FILE"),
    },
    configText: {
      name: "config-text",
      summary: "EndpointPickerConfig as text, in place of --config-file.",
      type: textOf("YAML"),
    },
    refreshMetricsIntervalMs: {
      name: "refresh-metrics-interval",
      summary: "Time between two readings of a model server's metrics; 50ms at least.",
      type: duration,
      default: 50,
    },
    staleAfterMs: {
      name: "metrics-staleness-threshold",
      summary:
        "Age from which a reading is not believed: the server loses its score until the next.",
      type: duration,
      default: 2_000,
    },
    explainHistorySize: {
      name: "explain-history-size",
      summary:
        "How many of the last requests page /debug/explain can explain: which endpoints there were, what each plugin made of them, which was chosen. 0 keeps none. `pulumi-inference explain --request-id` reads the page.",
      type: integer(0, 100_000),
      default: 200,
    },
    disableEndpointSubsetFilter: {
      name: "disable-endpoint-subset-filter",
      summary: "Picks from the whole pool even where the proxy names a subset.",
      type: boolean,
      default: false,
    },
    emitEndpointScores: {
      name: "emit-endpoint-scores",
      summary: "Tells the proxy every endpoint's score, in dynamic metadata of namespace envoy.lb.",
      type: boolean,
      default: false,
    },
    trustModelNameHeader: {
      name: "trust-model-name-header",
      summary:
        "Goes by what a model router in front chose: X-Gateway-Model-Name where the pool does not know the body's model, and x-llm-d-model-name-rewrite where it names a target of the model.",
      type: boolean,
      default: true,
    },
    modelRewriteHeader: {
      name: "model-rewrite-header",
      summary:
        "Heeds x-llm-d-model-name-rewrite, by which a client names the model that the server is asked for where no rule does.",
      type: boolean,
      default: false,
    },
    engineFields: {
      name: "engine-fields",
      summary:
        "What becomes of fields that only infrastructure may set, in bodies that are read: kv_transfer_params, ec_transfer_params, bootstrap_*, cache_hit_threshold, disaggregated_params and ranks, and header X-data-parallel-rank. They are stripped, the request is rejected with 400, or they are allowed.",
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
        "Header that names the tenant whose share a request takes while requests wait, in place of its LLMService, such as x-llm-d-inference-fairness-id. The gateway has to set it, and to remove a client's. Default: no header is trusted, and requests without an LLMService share one queue.",
      type: textOf("NAME"),
    },
    tenantsPerAddress: {
      name: "tenants-per-address",
      summary:
        "Tenants that one client address, the last of X-Forwarded-For, has within five minutes; the others share one queue. 0 for any number, behind a load balancer whose address all clients have.",
      type: integer(0, 1_000_000),
      default: limits.tenantsOfAddress.value,
    },
    conformanceHeaders: {
      name: "conformance-headers",
      summary:
        "Heeds test-epp-endpoint-selection, by which the conformance suite of InferencePool names endpoints, and tells it who served. Any client could then name its pod, so only for conformance tests.",
      type: boolean,
      default: false,
    },
    servedEndpointHeader: {
      name: "served-endpoint-header",
      summary:
        "Names the endpoint that served, as ip:port, in response header x-gateway-destination-endpoint-served to a request that carries this header. `pulumi-inference request` asks for it.",
      type: boolean,
      default: true,
    },
    followResponses: {
      name: "follow-responses",
      summary:
        "Follows every response to its end, for the metrics of responses: duration, first token, tokens, bytes, status. Without the flag the picker leaves a request when it has its endpoint, where the proxy is Envoy, no name has to be restored and no LLMService counts it; its end then breaks no answer.",
      type: boolean,
      default: false,
    },
  },
} satisfies FlagGroup;
