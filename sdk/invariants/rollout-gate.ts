import type { Finding, Invariant } from "../invariant.ts";
import { isRouter } from "../spec/role.ts";
import type { PartialSpec } from "./partial-spec.ts";

const allowed = "a router with a dedicated picker that follows responses";

/** Rule for the gate of a service's rollouts. */
export const rolloutGateRule: Invariant<PartialSpec> = {
  id: "rollout-gate-reads-the-picker",
  title:
    "A service with a rollout gate has a router with a dedicated picker that follows responses",
  why: "The picker counts the errors and the times to the first token of each replica.",
  source: "docs/how-to/roll.md, Gate",
  code: "reference",
  *check({ rollout, roles }): Iterable<Finding> {
    if (rollout?.gate === undefined) return;
    const router = roles.find(({ componentType }) => componentType === "router");
    if (router === undefined) {
      yield {
        path: ["rollout", "gate"],
        given: "is set without a router",
        allowed,
        fix: "Add a role of type router, or remove the gate.",
      };
      return;
    }
    const { role } = router;
    if (role === undefined || !isRouter(role)) return;
    if (role.shared !== undefined)
      yield {
        path: ["roles", router.index, "shared"],
        given: "is set for a service with a rollout gate",
        allowed,
        fix: "Remove shared, or remove the gate.",
      };
    if (role.followResponses === false)
      yield {
        path: ["roles", router.index, "followResponses"],
        given: "is false for a service with a rollout gate",
        allowed,
        fix: "Remove it: the gate sets it.",
      };
  },
};
