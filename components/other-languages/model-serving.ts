import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type { ModelServingArgs } from "../generated/args-of-other-languages.ts";

/** ModelServing as Pulumi's analyzer can describe it for other languages: with open pod templates. */
export declare class ModelServing extends pulumi.ComponentResource {
  readonly servingName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  constructor(name: string, args: ModelServingArgs, opts?: ComponentOptions);
}
