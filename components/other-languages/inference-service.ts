import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { InferenceServiceArgs } from "../generated/args-of-other-languages.ts";
import type { ComponentSummary, Endpoints } from "../service-outputs.ts";

/**
 * InferenceService in a form that Pulumi's analyzer can describe for other languages. The analyzer does not support
 * unions, so there is one interface for all roles, and pod templates accept any fields below the first level.
 * TypeScript programs use the component itself.
 */
export declare class InferenceService extends pulumi.ComponentResource {
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly poolName: pulumi.Output<string | undefined>;
  readonly url: pulumi.Output<string | undefined>;
  readonly urlStatus: pulumi.Output<string>;
  readonly readiness: pulumi.Output<string>;
  readonly endpoints: pulumi.Output<Endpoints>;
  readonly components: pulumi.Output<Record<string, ComponentSummary>>;
  constructor(name: string, args: InferenceServiceArgs, opts?: ComponentOptions);
}
