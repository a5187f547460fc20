import { namespaceName } from "../../kubernetes/kinds/field-types.ts";
import { annotation } from "../names.ts";
import { type ModelGrants, modelGrantsIn } from "./model-grants.ts";

/** The fields of a pool that decide which objects apply to it and which models it accepts. */
export interface RoutedPool extends ModelGrants {
  /** API group, usually inference.networking.k8s.io. */
  readonly group: string;
  readonly name: string;
  /** Namespaces, besides the pool's namespace, whose LLMServices may use the pool. */
  readonly allowedNamespaces: readonly string[];
}

export interface PoolReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** An objective or rewrite. It is in the namespace of its pool. */
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

/** Reads the annotations of an InferencePool. Invalid namespace names are ignored. */
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
