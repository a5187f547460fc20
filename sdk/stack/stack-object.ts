import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** An object of a stack that has the shape of its kind. */
export interface StackObject {
  /** Place in the stack; paths of findings start with it. */
  readonly index: number;
  /** `apps/Deployment`, `/Pod`. */
  readonly kind: string;
  /** Reading what is not known yet throws `NotKnownYet`. */
  readonly manifest: Manifest;
}

/** An object and its spec, which is read only when it is asked for. */
export class TypedObject<Spec> {
  readonly object: StackObject;

  constructor(object: StackObject) {
    this.object = object;
  }

  get path(): (string | number)[] {
    return [this.object.index, "spec"];
  }

  get spec(): Spec {
    return (this.object.manifest.spec ?? {}) as Spec;
  }

  get name(): string {
    return this.object.manifest.metadata.name;
  }

  get namespace(): string {
    return this.object.manifest.metadata.namespace ?? "default";
  }
}

/** Objects of some kinds, with a typed spec. */
export const specsOf = <Spec>(
  { objects }: { readonly objects: readonly StackObject[] },
  ...kinds: readonly string[]
): TypedObject<Spec>[] =>
  objects.filter(({ kind }) => kinds.includes(kind)).map((object) => new TypedObject<Spec>(object));
