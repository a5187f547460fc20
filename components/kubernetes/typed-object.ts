import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";

/** Manifest of an object without apiVersion and kind. */
export interface ObjectArgs<Spec> {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<Spec>;
}

/** Class of the objects of one kind. */
interface ObjectClass<Made> {
  readonly __pulumiType: string;
  new (name: string, args?: undefined, opts?: pulumi.CustomResourceOptions): Made;
}

/** Returns the Pulumi resource type of a kind in the Kubernetes provider. */
export const resourceType = <const Facts extends KindFacts>({ apiVersion, kind }: Facts) =>
  `kubernetes:${apiVersion}:${kind}` as `kubernetes:${Facts["apiVersion"]}:${Facts["kind"]}`;

/** Base of the typed classes: an object of one kind, with the API version in the table of kinds. */
export abstract class TypedObject<
  Facts extends KindFacts,
  Spec,
  Status,
> extends pulumi.CustomResource {
  declare readonly apiVersion: pulumi.Output<Facts["apiVersion"]>;
  declare readonly kind: pulumi.Output<Facts["kind"]>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<Spec>>;
  /** Status last reported by controllers; undefined before a controller has processed the object. */
  declare readonly status: pulumi.Output<Status | undefined>;

  /** Reads an existing object. `id` is `namespace/name`, or `name` for a cluster-scoped kind. */
  static get<Made>(
    this: ObjectClass<Made>,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): Made {
    return new this(name, undefined, { ...opts, id });
  }

  /** Reports whether a value is of this class, even if it was created by another copy of this package. */
  static override isInstance<Made>(this: ObjectClass<Made>, value: unknown): value is Made {
    const { __pulumiType } = (value ?? {}) as { __pulumiType?: unknown };
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked, not this base of it.
    return __pulumiType === this.__pulumiType;
  }

  /**
   * Registers the manifest, with `status` as an output. An object that is only read has no inputs, but declares every
   * property so that Pulumi can read it.
   */
  protected constructor(
    facts: Facts,
    name: string,
    args: ObjectArgs<Spec> | undefined,
    opts: pulumi.CustomResourceOptions | undefined,
  ) {
    const isRead = opts?.id !== undefined;
    const { apiVersion, kind } = facts;
    const inputs = isRead ? {} : { apiVersion, kind, metadata: args?.metadata, spec: args?.spec };
    const named = { apiVersion: undefined, kind: undefined, metadata: undefined, spec: undefined };
    super(
      resourceType(facts),
      name,
      { ...named, ...inputs, status: undefined },
      kindOptions(facts, args?.metadata, opts),
    );
  }
}
