import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";

/** The manifest of an object, without its kind. */
export interface ObjectArgs<Spec> {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<Spec>;
}

/** A class of objects of one kind. */
interface ObjectClass<Made> {
  readonly __pulumiType: string;
  new (name: string, args?: undefined, opts?: pulumi.CustomResourceOptions): Made;
}

/** The type of resources of a kind, as the Kubernetes provider names it. */
export const resourceType = <const Facts extends KindFacts>({ apiVersion, kind }: Facts) =>
  `kubernetes:${apiVersion}:${kind}` as `kubernetes:${Facts["apiVersion"]}:${Facts["kind"]}`;

/** Base of the typed classes: an object of one kind, at the version that the table of kinds names. */
export abstract class TypedObject<
  Facts extends KindFacts,
  Spec,
  Status,
> extends pulumi.CustomResource {
  declare readonly apiVersion: pulumi.Output<Facts["apiVersion"]>;
  declare readonly kind: pulumi.Output<Facts["kind"]>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<Spec>>;
  /** What controllers last reported; undefined before one has seen the object. */
  declare readonly status: pulumi.Output<Status | undefined>;

  /** Reads an existing object. `id` is `namespace/name`; `name` for a kind of the whole cluster. */
  static get<Made>(
    this: ObjectClass<Made>,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): Made {
    return new this(name, undefined, { ...opts, id });
  }

  /** Whether a value is of this class, whichever copy of this package made it. */
  static override isInstance<Made>(this: ObjectClass<Made>, value: unknown): value is Made {
    const { __pulumiType } = (value ?? {}) as { __pulumiType?: unknown };
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked, not this base of it.
    return __pulumiType === this.__pulumiType;
  }

  /**
   * Registers the manifest, and `status` as an output. An object that is only read has no inputs, yet every property is
   * named, so that it can be read back.
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
