import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { unawaitedReadiness } from "../sdk/plan/readiness-text.ts";
import { claimNames } from "./base/names-in-use.ts";
import { after, inNamespace, type Namespaced } from "./base/namespace.ts";
import { type ComponentOptions, ownOptions, withHooks } from "./child-options.ts";
import { createChildren } from "./children.ts";
import { type NodeKeys, type NodesOf, nodesOf } from "./nodes/node-keys.ts";
import type { Readiness } from "./readiness.ts";
import { lossHooks, type PlanOfInputs } from "./rollout/loss-hooks.ts";
import type { RolloutSettings } from "./rollout/rollout-hooks.ts";

/** Validated arguments, and the inputs that state and policies read. */
interface Arguments extends Namespaced {
  readonly inputs: pulumi.Inputs;
}

/** Component whose children have been created, for its outputs. */
interface Made<P extends NodeKeys, Args extends Arguments> {
  readonly args: Args;
  /** Namespace, which is known only after names have been claimed in it. */
  readonly namespace: pulumi.Input<string>;
  readonly manifests: readonly Manifest[];
  readonly nodes: NodesOf<P>;
}

/** Steps that create a component, in this order. */
interface Steps<P extends NodeKeys, Args extends Arguments> {
  /** Validates the arguments. It throws before any resource is registered. */
  parse(): Args;
  /** Returns the objects to create. */
  plan(args: Args, component: pulumi.ComponentResource): readonly Manifest[];
  /** Returns the plan of inputs in the state, for the warnings of a preview. Default: the preview compares no plans. */
  readonly planOf?: PlanOfInputs;
  /** Claims values, besides the names of objects, that no other component of the program may use. Default: none. */
  claim?(args: Args, namespace: string, component: pulumi.ComponentResource): void;
  /** Keys of the children in `nodes` and `transform`. */
  readonly nodeKeys: P;
  /** Returns the readiness that creating and updating wait for. Default: none. */
  readiness?(args: Args): Readiness;
  /** Returns what the arguments set for rollouts. Default: nothing. */
  rollout?(args: Args): RolloutSettings;
  /** Returns the outputs by name, except `namespace`. */
  readonly outputs: {
    readonly [name: string]: (made: Made<P, Args>) => pulumi.Input<unknown>;
  };
}

const waitsForNothing: Readiness = { wait: "none", minimums: new Map() };

/** Nodes of components. A property would become an output in the packages of other languages. */
const nodes = new WeakMap<pulumi.ComponentResource, unknown>();

/**
 * Base class of components that plan objects and create a resource for each.
 *
 * Pulumi's analyzer of component packages recognises a class as a component only by the name of its base class and of
 * that class' file.
 */
export abstract class ComponentResource<
  P extends NodeKeys,
  Args extends Arguments,
> extends pulumi.ComponentResource {
  /** Reports whether a value is a component of this class, even if it was created by another copy of this package. */
  static override isInstance<Component>(
    this: { readonly __pulumiType: string; readonly prototype: Component },
    value: unknown,
  ): value is Component {
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked, not this base of it.
    return isComponent(value, this.__pulumiType);
  }

  protected constructor(
    type: string,
    name: string,
    opts: ComponentOptions<P>,
    { parse, plan, planOf, claim, nodeKeys, readiness, rollout, outputs: own }: Steps<P, Args>,
  ) {
    const outputs: typeof own = { namespace: ({ namespace }) => namespace, ...own };
    if (opts.urn !== undefined) {
      // A component that is only referred to has its outputs from the state.
      super(
        type,
        name,
        Object.fromEntries(Object.keys(outputs).map((key) => [key, undefined])),
        opts,
      );
      nodes.set(this, nodesOf(nodeKeys));
      return;
    }
    const args = parse();
    const made: { component?: pulumi.ComponentResource } = {};
    const title = `${type.split(":").at(-1)} "${name}"`;
    const hooks =
      planOf && !opts.retainOnDelete
        ? lossHooks(name, title, planOf, () => made.component)
        : undefined;
    super(type, name, args.inputs, withHooks(ownOptions(opts), hooks));
    made.component = this;

    const manifests = plan(args, this);
    const namespace = after(args.namespace, (known) => {
      claimNames(this, name, opts.parent, inNamespace(manifests, known));
      claim?.(args, known, this);
    });
    const { metadata } = args;
    const family = { parent: this, name, title, metadata, namespace, opts, nodeKeys };
    const children = createChildren(
      {
        ...family,
        readiness: readiness?.(args) ?? waitsForNothing,
        rollout: rollout?.(args) ?? {},
      },
      manifests,
    );
    nodes.set(this, children);
    const values = Object.fromEntries(
      Object.entries(outputs).map(([key, output]) => [
        key,
        pulumi.output(output({ args, namespace, manifests, nodes: children })),
      ]),
    );
    Object.assign(this, values);
    this.registerOutputs(values);
  }

  /** Resources of the component. Undefined for a component that was only referred to by its URN. */
  get nodes(): NodesOf<P> {
    return nodes.get(this) as NodesOf<P>;
  }
}

/** Reports whether a value is a component of a type, even if another copy of this package created it. */
export const isComponent = (value: unknown, type: string): boolean =>
  (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType === type;

/** Returns the output `readiness` of a component that does not wait for its objects. */
export const unawaited = ({
  args,
  manifests,
  namespace,
}: Pick<Made<NodeKeys, Arguments>, "args" | "manifests" | "namespace">): pulumi.Input<string> =>
  inNamespace(unawaitedReadiness(manifests, args.metadata.namespace), namespace);
