import { defineKind, type KindDefinition, type KindFacts } from "../../kubernetes/kinds/kind.ts";

/** A kind that one gateway alone has. Its objects come before the routes to what they are about. */
export interface GatewayKind extends KindFacts {
  /** Kinds whose objects come before its own, and go after them. */
  readonly after: readonly string[];
}

/** The facts of a gateway's own kind, whose objects stand in a namespace and do their work at once. */
export const gatewayKind = <
  const Address extends Pick<KindDefinition, "group" | "version" | "kind" | "plural">,
  const After extends readonly string[],
>(
  address: Address,
  after: After,
) => ({ ...defineKind({ ...address, scope: "Namespaced", readiness: "exists" }), after });
