import { defineKind, type KindDefinition, type KindFacts } from "../../kubernetes/kinds/kind.ts";

/** A kind that only one gateway has. Its objects are created before the routes that need them. */
export interface GatewayKind extends KindFacts {
  /** Kinds whose objects are created before its own, and deleted after them. */
  readonly after: readonly string[];
}

/** Returns the facts of a gateway's own kind. Its objects are namespaced and are ready once they exist. */
export const gatewayKind = <
  const Address extends Pick<KindDefinition, "group" | "version" | "kind" | "plural">,
  const After extends readonly string[],
>(
  address: Address,
  after: After,
) => ({ ...defineKind({ ...address, scope: "Namespaced", readiness: "exists" }), after });
