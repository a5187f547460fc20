import { namespaceName } from "../../kubernetes/kinds/field-types.ts";
import { annotation } from "../topology/names.ts";
import { type ModelGrants, modelGrantsIn } from "./model-grants.ts";

/** A pool as far as it decides which objects are about it and which models it takes. */
export interface RoutedPool extends ModelGrants {
  /** API group, inference.networking.k8s.io as a rule. */
  readonly group: string;
  readonly name: string;
  /** Namespaces besides the pool's own whose LLMServices may use it. */
  readonly allowedNamespaces: readonly string[];
}

export interface PoolReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** An objective or rewrite. It stands in the namespace of its pool. */
export interface AboutPool {
  readonly namespace: string;
  readonly poolRef: PoolReference;
}

export const isAbout = (
  { namespace, poolRef }: AboutPool,
  pool: Pick<RoutedPool, "group" | "namespace" | "name">,
): boolean =>
  namespace === pool.namespace &&
  poolRef.name === pool.name &&
  poolRef.kind === "InferencePool" &&
  poolRef.group === pool.group;

/** What the annotations of an InferencePool say. A name that no namespace can have is passed over. */
export function poolAnnotations(
  annotations: Readonly<Record<string, string>>,
): Omit<RoutedPool, "group" | "namespace" | "name"> {
  const allowedNamespaces = [
    ...new Set(
      (annotations[annotation.allowedNamespaces] ?? "")
        .split(",")
        .map((namespace) => namespace.trim())
        .filter((namespace) => namespaceName.safeParse(namespace).success),
    ),
  ];
  return {
    registrationRequired: annotations[annotation.registration] === "required",
    allowedNamespaces,
    ...modelGrantsIn(annotations, allowedNamespaces),
  };
}
