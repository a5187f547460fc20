import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { kindOf } from "../stack/shapes.ts";
import { GraphBuilder } from "./graph.ts";

/** A reference from one object to another. */
export interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

const keyOf = ({ group, kind, namespace, name }: Reference) =>
  JSON.stringify([group, kind, namespace, name]);

/** Nodes by object: each object of the plan has at most one node. */
export class DrawnObjects {
  readonly builder = new GraphBuilder();
  readonly plan: readonly Manifest[];
  readonly #indexes = new Map<string, number>();
  readonly #nodes = new Map<string | number, string>();

  constructor(plan: readonly Manifest[]) {
    this.plan = plan;
    for (const [index, manifest] of plan.entries()) {
      const { metadata, kind, apiVersion } = manifest as Partial<Manifest>;
      if (metadata?.name === undefined || kind === undefined || apiVersion === undefined) continue;
      const [group = ""] = kindOf({ apiVersion, kind }).split("/");
      const { name, namespace = "default" } = metadata;
      this.#indexes.set(keyOf({ group, kind, name, namespace }), index);
    }
  }

  isDrawn(index: number): boolean {
    return this.#nodes.has(index);
  }

  /** Marks objects as drawn by a node. */
  draw(indexes: readonly number[], id: string): string {
    for (const index of indexes) this.#nodes.set(index, id);
    return id;
  }

  /** The node of one object, which is added if it does not exist yet. */
  nodeOf(index: number, facts: readonly string[] = []): string {
    const known = this.#nodes.get(index);
    if (known !== undefined) return known;
    const { kind, metadata } = this.plan[index] as Partial<Manifest>;
    const name = metadata?.name ?? "without a name";
    const node = { kind: kind ?? "Object", name, facts, objects: [index] };
    return this.draw([index], this.builder.addNode(node));
  }

  /** The node of a referenced object, which may be in the cluster instead of the plan. */
  named(reference: Reference, facts: readonly string[] = []): string {
    const key = keyOf(reference);
    const index = this.#indexes.get(key);
    if (index !== undefined) return this.nodeOf(index, facts);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const { kind, name } = reference;
    const node = { kind, name, facts: [...facts, "not in this plan"], objects: [] };
    const id = this.builder.addNode(node);
    this.#nodes.set(key, id);
    return id;
  }
}
