import type * as pulumi from "@pulumi/pulumi";
import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { planSharedEndpointPicker } from "../../sdk/plan/picker/shared-picker.ts";
import type { SharedEndpointPickerSpec } from "../../sdk/spec/shared-endpoint-picker.ts";
import { endpointPickerName } from "../../sdk/topology/names.ts";
import { sharedEndpointPickerSpecKind } from "../../sdk/validate/shared-endpoint-picker.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { SharedEndpointPickerArgs } from "../generated/args.ts";
import { all, type NodesOf } from "../places.ts";
import { programPlaces } from "../program-places.ts";
import { type ReadArgs, readArgs, stackSetting } from "../read-args.ts";
import { withAdvice } from "../say-advice.ts";

/** Places of the children of a SharedEndpointPicker. */
const places = {
  ...programPlaces(),
  /** What the gateway needs to ask it. */
  gatewayObjects: all(gatewayKindNames),
} as const;

/** The resources of a SharedEndpointPicker, by what they are for. */
export type SharedEndpointPickerNodes = NodesOf<typeof places>;

/**
 * A picker for several pools of one namespace: one Deployment and one Service, with a port for each pool. Pools come and
 * go without it: a pool names it, and a port that no other has.
 *
 * ```ts
 * new SharedEndpointPicker("shared", { ports: { count: 64 } });
 * new LLMServerPool("llama", {
 *   modelServerSelector: { app: "llama" },
 *   endpointPicker: { shared: { name: "shared", port: 10000 } },
 * });
 * ```
 */
export class SharedEndpointPicker extends PlannedComponent<
  typeof places,
  ReadArgs<SharedEndpointPickerSpec>
> {
  static readonly __pulumiType = "inference:index:SharedEndpointPicker";

  /** Name of its Service, for InferencePools that are made elsewhere. */
  declare readonly serviceName: pulumi.Output<string>;
  /** Namespace of the picker and of its pools. */
  declare readonly namespace: pulumi.Output<string>;
  /** What works only some time after `pulumi up`, which does not wait for it, and the command that shows it. */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError with every problem of the arguments */
  constructor(
    name: string,
    args: SharedEndpointPickerArgs = {},
    opts: ComponentOptions<typeof places> = {},
  ) {
    super(SharedEndpointPicker.__pulumiType, name, opts, {
      parse: () => readArgs(sharedEndpointPickerSpecKind, name, args),
      plan: (picker, component) =>
        withAdvice(component, `SharedEndpointPicker "${name}"`, (onAdvice) =>
          planSharedEndpointPicker(picker, { runtimeImage: stackSetting("image"), onAdvice }),
        ),
      places,
      outputs: {
        serviceName: ({ args: { metadata } }) => endpointPickerName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
