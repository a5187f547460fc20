import type { Condition } from "./conditions.ts";

/**
 * The conditions of each kind and the meaning of each reason. The lists are closed: a status has no other reason, so
 * that programs may match on them.
 */
export type ReasonTable = Readonly<Record<string, ReasonsByStatus>>;

type ReasonsByStatus = Readonly<
  Partial<Record<Condition["status"], Readonly<Record<string, string>>>>
>;

/** A condition of a kind without its transition time. */
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

const staleView =
  "The status is out of date, because its data could not be read. The message gives the reason.";
const invalidSpec = "The object is not valid. The message lists its problems.";

export const inferenceServiceReasons = {
  /** Whether requests are served. */
  Available: {
    True: {
      MinimumReady: "Every role has its minimum of ready replicas, and a gateway serves the route.",
    },
    False: {
      MinimumNotReady: "A role has fewer ready replicas than its minimum.",
      RouterNotReady:
        "Every role has its minimum of ready replicas, but no endpoint picker is ready.",
      PortUnavailable:
        "The SharedEndpointPicker does not serve the service's pool on the requested port. The message names the port's owner.",
      RouteNotAccepted: "No gateway sends requests to the service's pool.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Whether missing or outdated replicas will become ready without help. */
  Progressing: {
    True: {
      Deploying: "Replicas are missing, and no obstacle is known.",
      RollingOut: "Some replicas still run an older template.",
    },
    False: {
      Complete: "Every replica is ready and runs the current template.",
      Stalled: "Replicas are missing, and waiting will not help.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Whether something is broken, even if requests are served. */
  Degraded: {
    True: { PodsFailing: "Pods of a role crash, cannot be created or cannot be scheduled." },
    False: { AsExpected: "There are no failures.", InvalidSpec: invalidSpec },
    Unknown: { StaleCache: staleView },
  },
  /** Only if `resilience.recycle` is set. */
  Recycling: {
    True: {
      RecyclingEnabled:
        "Prefillers and decoders whose prefills fail with every partner are recreated.",
    },
    False: {
      RecyclingDisabled:
        "The status controller may not delete pods, so no pod is recreated. The message describes how to allow it.",
    },
  },
} as const satisfies ReasonTable;

export const llmServiceReasons = {
  /** Reasons for each pool, and for all pools together. */
  Accepted: {
    True: { Accepted: "The pool serves every model of the service." },
    False: {
      NameNotAllowed:
        "The pool's owner does not grant a name to this namespace. The message contains the name.",
      NameTaken:
        "Another LLMService has registered a name on the pool. The message names the LLMService.",
      PoolNotFound: "The InferencePool does not exist.",
      NamespaceNotAllowed: "The pool does not admit this namespace.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  /** Only if a model has an objective. */
  ObjectiveMet: {
    True: {
      ObjectiveMet:
        "Every requested model meets its latency objective. The message contains the measurements.",
    },
    False: {
      ObjectiveMissed:
        "The P95 latency of a model exceeds its objective. The message contains the measurements.",
    },
    Unknown: {
      NoRequests:
        "No model with an objective had a response with tokens within the picker's window.",
      MetricsUnavailable: "The metrics of a pool's endpoint picker could not be read.",
      NotServed: "No pool serves a model of the service.",
    },
  },
  TargetsServed: {
    True: { TargetsServed: "Every pod that received a request for a target serves it." },
    False: {
      TargetNotFound: "Pods return 404 for a target. The message names the pods and the target.",
      NoReadyPods: "A pool has pods, and none is ready. The message contains the cause.",
    },
    Unknown: {
      NoRequests: "There was no request for a model of the service.",
      MetricsUnavailable: "The metrics of a pool's endpoint picker could not be read.",
      NotServed: "No pool serves a model of the service.",
    },
  },
} as const satisfies ReasonTable;

export const llmServerPoolReasons = {
  Accepted: {
    True: { Accepted: "The InferencePool with the pool's name selects the pool's pods." },
    False: {
      PoolNotFound: "There is no InferencePool with the pool's name.",
      PortUnavailable:
        "The SharedEndpointPicker does not serve the pool on the requested port. The message names the port's owner.",
      SelectorDiffers: "The InferencePool with the pool's name selects other pods.",
      InvalidSpec: invalidSpec,
    },
    Unknown: { StaleCache: staleView },
  },
  Overlapping: {
    True: {
      SharedPods:
        "Another pool selects a pod of this pool. The message names the pool and the pod.",
    },
    False: { NoSharedPods: "No other pool selects a pod of this pool." },
    Unknown: { StaleCache: staleView },
  },
  PodsReady: {
    True: { PodsReady: "A pod of the pool is ready. The message names a pod that fails, if any." },
    False: {
      NoPods: "The pool selects no pods.",
      NoReadyPods: "No pod of the pool is ready. The message contains the cause.",
    },
    Unknown: { StaleCache: staleView },
  },
} as const satisfies ReasonTable;

export const modelRewriteReasons = {
  Accepted: {
    True: {
      Accepted: "Every rule has targets, and the pool uses the rules that no other rule overrides.",
    },
    False: {
      NoTargets: "A rule has no target with a weight above 0 and is ignored.",
      RefNotResolved: "The pool does not exist or does not support rewrites.",
      RuleOverridden: "Other rules override all of these rules. The message names them.",
      Invalid: invalidSpec,
    },
    Unknown: { Pending: "No controller has processed the object yet.", StaleCache: staleView },
  },
  Overridden: {
    True: { RuleOverridden: "Another rule overrides one of these rules. The message names it." },
    False: { NotOverridden: "No other rule matches the same models." },
    Unknown: { StaleCache: staleView },
  },
  ResolvedRefs: {
    True: { ResolvedRefs: "The pool exists." },
    False: {
      PoolNotFound: "The InferencePool does not exist.",
      InvalidKind: "The reference does not name an InferencePool.",
    },
    Unknown: { StaleCache: staleView },
  },
} as const satisfies ReasonTable;

export type InferenceServiceFinding = FindingOf<typeof inferenceServiceReasons>;
export type LLMServiceFinding = FindingOf<typeof llmServiceReasons>;
export type LLMServerPoolFinding = FindingOf<typeof llmServerPoolReasons>;
export type ModelRewriteFinding = FindingOf<typeof modelRewriteReasons>;
