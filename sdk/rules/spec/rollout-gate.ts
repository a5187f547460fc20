import type { Finding, Invariant } from "../../invariant.ts";
import { needsDedicatedPicker } from "../helpers/dedicated-picker.ts";
import type { PartialSpec } from "../helpers/partial-spec.ts";

const allowed = "a router with a dedicated picker that follows responses";

/** Rule for the gate of a service's rollouts. */
export const rolloutGateRule: Invariant<PartialSpec> = {
  id: "rollout-gate-reads-the-picker",
  title:
    "A service with a rollout gate has a router with a dedicated picker that follows responses",
  why: "The picker counts the errors and the times to the first token of each replica.",
  source: "docs/how-to/roll.md, Gate",
  code: "reference",
  *check(spec): Iterable<Finding> {
    if (spec.rollout?.gate === undefined) return;
    yield* needsDedicatedPicker(
      spec,
      {
        path: ["rollout", "gate"],
        service: "a service with a rollout gate",
        allowed,
        fix: {
          router: "Add a role of type router, or remove the gate.",
          shared: "Remove shared, or remove the gate.",
        },
      },
      function* ({ followResponses }, index) {
        if (followResponses !== false) return;
        yield {
          path: ["roles", index, "followResponses"],
          given: "is false for a service with a rollout gate",
          allowed,
          fix: "Remove it: the gate sets it.",
        };
      },
    );
  },
};
