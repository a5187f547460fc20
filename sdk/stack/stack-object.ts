import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** An object of a stack that has the shape of its kind. */
export interface StackObject {
  /** Index in the stack, with which paths of findings start. */
  readonly index: number;
  /** `apps/Deployment`, `/Pod`. */
  readonly kind: string;
  /** Reading a value that is not yet known throws `UnknownValueError`. */
  readonly manifest: Manifest;
}

/** An object with its spec, which is read on first use. */
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

/** Objects of the given kinds, with a typed spec. */
export const specsOf = <Spec>(
  { objects }: { readonly objects: readonly StackObject[] },
  ...kinds: readonly string[]
): TypedObject<Spec>[] =>
  objects.filter(({ kind }) => kinds.includes(kind)).map((object) => new TypedObject<Spec>(object));
