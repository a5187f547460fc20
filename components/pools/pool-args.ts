import type * as pulumi from "@pulumi/pulumi";
import type { Export } from "../export-args.ts";
import type { Metadata } from "../inference-service-args.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { ProgramPods } from "../program-pods-args.ts";
import type { FailureMode, PoolGatewayType, RoutingStrategy } from "../vocabulary.ts";

/** The arguments of an LLMServerPool. */
export interface LLMServerPoolArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** Labels of the model servers' pods; no other pool may select one of them. */
  modelServerSelector: Record<string, string>;
  /** Ports of the model servers, 1 to 8. Default 8000. */
  targetPorts?: number[];
  /** The picker that is deployed for the pool, or one that is there already. */
  endpointPicker?: EndpointPicker;
  /** What the gateway does while the endpoint picker is gone. Default `FailClose`. */
  failureMode?: FailureMode;
  /** The gateway in front. Default: one that needs no objects of its own. */
  gateway?: PoolGateway;
  /** Who may open connections to the picker. Default: those who have to; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** Exports the pool to the other clusters of its set. */
  export?: Export;
  /**
   * Whether requests for models that no LLMService registers are served, at the priority of the InferenceObjective that
   * they name. Default false: they are answered with 404. A pool that serves them says by `reservedModels` or by
   * `models` of each of `allowedNamespaces` which names other namespaces may not take.
   */
  allowUnregisteredModels?: boolean;
  /**
   * Namespaces, besides the pool's own, whose LLMServices may use the pool: each by its name, or with the model names
   * that it may register. Default none.
   */
  allowedNamespaces?: Array<string | AllowedNamespace>;
  /**
   * Model names, such as the base model's, that only LLMServices of the pool's own namespace may register: names, or how
   * they begin (`meta-llama/*`). Default: a name is whoever's registers it, the pool's own namespace first.
   */
  reservedModels?: string[];
}

/** A namespace that a pool admits. */
export interface AllowedNamespace {
  /** The namespace that its LLMServices are in. */
  namespace: string;
  /** Model names that they may register: names, or how they begin (`games-*`). Default any that is not reserved. */
  models?: string[];
}

/** The arguments of an InferencePool: pods that are there already, behind a picker that takes any model. */
export interface InferencePoolArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** Labels of the model servers' pods. */
  selector: Record<string, string>;
  /** Ports of the model servers, 1 to 8. Default 8000. */
  targetPorts?: number[];
  /** The picker that is deployed for the pool, or one that is there already. */
  endpointPicker?: EndpointPicker;
  /** What the gateway does while the endpoint picker is gone. Default `FailClose`. */
  failureMode?: FailureMode;
  /** The gateway in front. Default: one that needs no objects of its own. */
  gateway?: PoolGateway;
  /** Who may open connections to the picker. Default: those who have to; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** Exports the pool to the other clusters of its set. */
  export?: Export;
}

/** The gateway in front of a pool. */
export interface PoolGateway {
  /** Its kind, which may need objects of its own beside the pool. */
  type: PoolGatewayType;
}

/** Chooses the model server of every request. */
export interface EndpointPicker extends ProgramPods {
  /** Service of a picker that is deployed already; nothing else may be given then. */
  serviceRef?: EndpointPickerService;
  /** How a request finds its pod; not `pd-disaggregation`, which needs an InferenceService. Default `prefix-cache`. */
  strategy?: RoutingStrategy;
  /** The picker's configuration as YAML, in place of a strategy. */
  endpointPickerConfig?: string;
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /** Default: stack configuration `pulumi-inference:image`, else this project's image of this version. */
  image?: pulumi.Input<string>;
  /** Whether /metrics asks for a token that may read it; needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Seconds for which running answers may go on when a pod of the picker ends. Default 600. */
  drainSeconds?: number;
  /** Whether the picker follows every answer to its end, for metrics of answers. Default false. */
  followResponses?: boolean;
}

/** A Service in the pool's namespace. */
export interface EndpointPickerService {
  name: pulumi.Input<string>;
  /** Port of its ext-proc gRPC service. Default 9002. */
  port?: number;
}
