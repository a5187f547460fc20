import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { InferenceServiceArgs } from "../generated/args-of-other-languages.ts";
import type { ComponentSummary, Endpoints } from "../service/service-outputs.ts";

// InferenceService in a form that Pulumi's analyzer can describe for other languages. The analyzer does not support unions, so
// there is one interface for all roles, and pod templates accept any fields below the first level. TypeScript programs use the
// component itself.

/**
 * Inference service on Kubernetes: LeaderWorkerSets for the engines, and a PodGroup if pods must start together. A
 * router role adds an endpoint picker, an InferencePool and an HTTPRoute.
 *
 * The cluster needs LeaderWorkerSet, Volcano for gangs, and for a router the Gateway API with its inference extension.
 * An invalid spec fails before any resource is registered, with an error that lists every problem.
 */
export declare class InferenceService extends pulumi.ComponentResource {
  /** `metadata.name`: the prefix of every object's name. */
  readonly serviceName: pulumi.Output<string>;
  /** Namespace of the objects. */
  readonly namespace: pulumi.Output<string>;
  /** Name of the InferencePool; undefined without a router. */
  readonly poolName: pulumi.Output<string | undefined>;
  /**
   * Base URL of the service's OpenAI API. It is undefined while the Gateway that the router's `gateway` creates has no
   * address, and if the router creates no Gateway. `pulumi up --refresh` reads an address that was assigned later.
   */
  readonly url: pulumi.Output<string | undefined>;
  /** Name of the Gateway that serves `url`; while `url` is undefined, the reason and the next step. */
  readonly urlStatus: pulumi.Output<string>;
  /** Text that lists what `pulumi up` waits for, and the command that shows the state of other objects. */
  readonly readiness: pulumi.Output<string>;
  /** Addresses of the service. */
  readonly endpoints: pulumi.Output<Endpoints>;
  /** Size of each role except the router, by role name. */
  readonly components: pulumi.Output<Record<string, ComponentSummary>>;
  constructor(name: string, args: InferenceServiceArgs, opts?: ComponentOptions);
}
