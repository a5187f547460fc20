import type { Invariant } from "../invariant.ts";
import type { RawSpec } from "./raw-spec.ts";

/** Who writes the route to other clusters' gateways. */
export const parentsAgentWritesAlone: Invariant<RawSpec> = {
  id: "parents-agent-owns-the-route",
  title:
    "An agent writes the route to other clusters' gateways, in the pool's namespace, and nobody else does",
  why: "What it writes follows from the import; it may write in its own namespace only.",
  source: "docs/multi-cluster.md, Gateways of other clusters",
  code: "conflict",
  *check(written) {
    const { spec } = written;
    if (spec.parentsAgent === undefined) return;
    const beside = ["parents", "picker", "globalPicker", "tls"].filter(
      (field) => spec[field] !== undefined,
    );
    for (const field of beside)
      yield {
        path: [field],
        given: "is set beside `parentsAgent`",
        allowed: field === "tls" ? "`tls` of the agent" : "one of them",
        fix: field === "tls" ? "Move it to the agent." : "Remove one.",
      };
    const { tls, probe } = spec.parentsAgent as { tls?: { caSecret?: unknown }; probe?: unknown };
    if (probe !== undefined && tls?.caSecret !== undefined)
      yield {
        path: ["parentsAgent", "probe"],
        given: "is set beside `tls.caSecret`",
        allowed: "a request over plain HTTP, or verified by tls.caConfigMap",
        fix: "Remove it: the agent reads no Secret, and looks whether the gateways take connections.",
      };
    if (spec.routeNamespace !== undefined && spec.routeNamespace !== written.metadata.namespace)
      yield {
        path: ["routeNamespace"],
        given: `is ${JSON.stringify(spec.routeNamespace)} beside \`parentsAgent\``,
        allowed: "the namespace of the pool",
        fix: "Remove it; the Gateway may be in any namespace that takes the route.",
      };
  },
};
