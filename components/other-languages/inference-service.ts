import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { InferenceServiceArgs } from "../generated/args-of-other-languages.ts";
import type { ComponentSummary, Endpoints } from "../service-outputs.ts";

/**
 * InferenceService as Pulumi's analyzer can describe it for other languages, which knows no unions: one interface for
 * all roles, and pod templates that are open below their first fields. Programs in TypeScript use the component itself.
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
