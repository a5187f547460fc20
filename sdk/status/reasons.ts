import type { Condition } from "./conditions.ts";

/**
 * The conditions of each kind and what each of their reasons means. The lists are closed: a status has no other
 * reason, so that programs may match on them.
 */
export type ReasonTable = Readonly<Record<string, ReasonsByStatus>>;

type ReasonsByStatus = Readonly<
  Partial<Record<Condition["status"], Readonly<Record<string, string>>>>
>;

/** What was found out about one condition of a kind, before it is known since when it holds. */
export type FindingOf<Table extends ReasonTable> = {
  [Type in keyof Table & string]: {
    [Status in keyof Table[Type] & Condition["status"]]: {
      readonly type: Type;
      readonly status: Status;
      readonly reason: keyof Table[Type][Status] & string;
      readonly message: string;
    };
  }[keyof Table[Type] & Condition["status"]];
}[keyof Table & string];

const staleView = "What the status is about could not be read for a while; the message says why.";
const invalidSpec = "The object cannot be read; the message lists what is wrong with it.";

export const inferenceServiceReasons = {
  /** Requests are served. */
  Available: {
    True: {
      MinimumReady: "Every role has its minimum of ready replicas, and a gateway serves the route.",
    },
    False: {
      MinimumNotReady: "A role has fewer ready replicas than its minimum.",
      RouterNotReady: "Every engine has its minimum, but no endpoint picker is ready.",
      PortUnavailable:
        "The SharedEndpointPicker does not serve the service's pool at the port that it names; the message says who has that.",
      RouteNotAccepted: "No gateway sends requests to the service's pool.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Something is still to come without help. */
  Progressing: {
    True: {
      Deploying: "Replicas are missing, and nothing is known to keep them away.",
      RollingOut: "Replicas run an older template than the one asked for.",
    },
    False: {
      Complete: "Every replica is ready, on the template asked for.",
      Stalled: "Replicas are missing, and waiting will not bring them.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Something is broken, though the service may serve. */
  Degraded: {
    True: { PodsFailing: "Pods of a role crash, cannot be made or cannot be placed." },
    False: { AsExpected: "Nothing fails.", InvalidSpec: invalidSpec },
    Unknown: { StaleCache: staleView },
  },
  /** Only where `resilience.recycle` is set. */
  Recycling: {
    True: { RecyclingEnabled: "Prefillers and decoders that fail with everybody are made anew." },
    False: {
      RecyclingDisabled:
        "The status controller may not delete pods, so that none is made anew; the message says what lets it.",
    },
  },
} as const satisfies ReasonTable;

export const llmServiceReasons = {
  /** Reasons for each pool, and for all of them together. */
  Accepted: {
    True: { Accepted: "The pool serves every model of the service." },
    False: {
      NameNotAllowed: "The pool's owner keeps a name for others; the message names it.",
      NameTaken: "Another LLMService has a name on the pool; the message names it.",
      PoolNotFound: "The InferencePool does not exist.",
      NamespaceNotAllowed: "The pool takes no LLMServices of this namespace.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Only where a model has an objective. */
  ObjectiveMet: {
    True: {
      ObjectiveMet:
        "Every model that was asked for is as fast as its objective; the message says what was measured.",
    },
    False: {
      ObjectiveMissed:
        "The P95 of a latency of a model is above its objective; the message says which.",
    },
    Unknown: {
      NoRequests:
        "No model with an objective had an answer with tokens within the picker's window.",
      MetricsUnavailable: "The metrics of a pool's endpoint picker could not be read.",
      NotServed: "No pool serves a model of the service.",
    },
  },
  TargetsServed: {
    True: { TargetsServed: "Every pod that was asked for a target serves it." },
    False: { TargetNotFound: "Pods answer 404 for a target; the message names both." },
    Unknown: {
      NoRequests: "No request for a model of the service was seen.",
      MetricsUnavailable: "The metrics of a pool's endpoint picker could not be read.",
      NotServed: "No pool serves a model of the service.",
    },
  },
} as const satisfies ReasonTable;

export const llmServerPoolReasons = {
  Accepted: {
    True: { Accepted: "The InferencePool of the pool's name selects the pool's pods." },
    False: {
      PoolNotFound: "There is no InferencePool of the pool's name.",
      PortUnavailable:
        "The SharedEndpointPicker does not serve the pool at the port that it names; the message says who has that.",
      SelectorDiffers: "The InferencePool of the pool's name selects other pods.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  Overlapping: {
    True: { SharedPods: "Another pool selects a pod of this one; the message names both." },
    False: { NoSharedPods: "No other pool selects a pod of this one." },
    Unknown: { StaleCache: staleView },
  },
} as const satisfies ReasonTable;

export const modelRewriteReasons = {
  Accepted: {
    True: { Accepted: "Every rule has targets, and the pool uses those that no other overrides." },
    False: {
      NoTargets: "A rule has no target with a weight, and is left out.",
      RefNotResolved: "There is no pool that could use the rules.",
      RuleOverridden: "Other rules win over every one of these; the message names them.",
      Invalid: invalidSpec,
    },
    Unknown: { Pending: "No controller has looked yet.", StaleCache: staleView },
  },
  Overridden: {
    True: { RuleOverridden: "Another rule wins over one of these; the message names it." },
    False: { NotOverridden: "No other rule is for the same models." },
    Unknown: { StaleCache: staleView },
  },
  ResolvedRefs: {
    True: { ResolvedRefs: "The pool exists." },
    False: {
      PoolNotFound: "The InferencePool does not exist.",
      InvalidKind: "The reference names something else than an InferencePool.",
    },
    Unknown: { StaleCache: staleView },
  },
} as const satisfies ReasonTable;

export type InferenceServiceFinding = FindingOf<typeof inferenceServiceReasons>;
export type LLMServiceFinding = FindingOf<typeof llmServiceReasons>;
export type LLMServerPoolFinding = FindingOf<typeof llmServerPoolReasons>;
export type ModelRewriteFinding = FindingOf<typeof modelRewriteReasons>;
