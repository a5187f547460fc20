import type * as pulumi from "@pulumi/pulumi";
import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { endpointPickerName } from "../../sdk/names.ts";
import { planSharedEndpointPicker } from "../../sdk/plan/picker/shared-picker.ts";
import type { SharedEndpointPickerSpec } from "../../sdk/spec/shared-endpoint-picker.ts";
import { sharedEndpointPickerSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs, stackSetting } from "../arguments/read-args.ts";
import { withAdvice } from "../arguments/warn-advice.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent, unawaited } from "../component-resource.ts";
import type { SharedEndpointPickerArgs } from "../generated/args.ts";
import { all, type NodesOf } from "../nodes/node-keys.ts";
import { programNodeKeys } from "../nodes/program-node-keys.ts";

/** Keys of the children of a SharedEndpointPicker. */
const nodeKeys = {
  ...programNodeKeys(),
  /** Objects that the gateway needs to call the picker. */
  gatewayObjects: all(gatewayKindNames),
} as const;

/** Resources of a SharedEndpointPicker, by purpose. */
export type SharedEndpointPickerNodes = NodesOf<typeof nodeKeys>;

/**
 * Endpoint picker for several pools of one namespace: one Deployment and one Service, with a port for each pool. Adding
 * or removing a pool does not change the picker: the pool refers to the picker by its name and an unused port.
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
  typeof nodeKeys,
  ReadArgs<SharedEndpointPickerSpec>
> {
  static readonly __pulumiType = "inference:index:SharedEndpointPicker";

  /** Name of the picker's Service, for InferencePools that are created elsewhere. */
  declare readonly serviceName: pulumi.Output<string>;
  /** Namespace of the picker and of its pools. */
  declare readonly namespace: pulumi.Output<string>;
  /** Text that lists what becomes ready only after `pulumi up` has returned, with the command that shows its state. */
  declare readonly readiness: pulumi.Output<string>;

  /** @throws InvalidArgsError listing every problem of the arguments */
  constructor(
    name: string,
    args: SharedEndpointPickerArgs = {},
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    super(SharedEndpointPicker.__pulumiType, name, opts, {
      parse: () => readArgs(sharedEndpointPickerSpecKind, name, args),
      plan: (picker, component) =>
        withAdvice(component, `SharedEndpointPicker "${name}"`, (onAdvice) =>
          planSharedEndpointPicker(picker, { runtimeImage: stackSetting("image"), onAdvice }),
        ),
      nodeKeys,
      outputs: {
        serviceName: ({ args: { metadata } }) => endpointPickerName(metadata.name),
        readiness: unawaited,
      },
    });
  }
}
