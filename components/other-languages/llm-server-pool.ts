import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { Export } from "../export-args.ts";
import type { Metadata } from "../inference-service-args.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { AllowedNamespace, EndpointPicker, PoolGateway } from "../pools/pool-args.ts";
import type { FailureMode } from "../vocabulary.ts";

/** LLMServerPool as Pulumi's analyzer can describe it for other languages: each namespace as an object. */
export declare class LLMServerPool extends pulumi.ComponentResource {
  readonly poolName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly readiness: pulumi.Output<string>;
  constructor(name: string, args: LLMServerPoolArgs, opts?: ComponentOptions);
}

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
  /** Whether requests for models that no LLMService registers are served. Default false: they are answered with 404. */
  allowUnregisteredModels?: boolean;
  /** Namespaces, besides the pool's own, whose LLMServices may use the pool. Default none. */
  allowedNamespaces?: AllowedNamespace[];
  /** Model names that only LLMServices of the pool's own namespace may register. */
  reservedModels?: string[];
}
