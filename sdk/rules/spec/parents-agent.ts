import type { Invariant } from "../../invariant.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

export const parentsAgentWritesAlone: Invariant<RawSpec> = {
  id: "parents-agent-owns-the-route",
  title:
    "Only the parents agent writes the route to other clusters' gateways, in the pool's namespace",
  why: "The agent derives the route from the import and may write only in its own namespace.",
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
        given: "is set together with `parentsAgent`",
        allowed: field === "tls" ? "`tls` in `parentsAgent`" : "one of them",
        fix: field === "tls" ? "Move `tls` to `parentsAgent`." : "Remove one of the two.",
      };
    const { tls, probe } = spec.parentsAgent as { tls?: { caSecret?: unknown }; probe?: unknown };
    if (probe !== undefined && tls?.caSecret !== undefined)
      yield {
        path: ["parentsAgent", "probe"],
        given: "is set together with `tls.caSecret`",
        allowed: "a probe over plain HTTP, or over HTTPS with tls.caConfigMap",
        fix: "Remove the probe: the agent cannot read Secrets, and checks instead whether the gateways accept connections.",
      };
    if (spec.routeNamespace !== undefined && spec.routeNamespace !== written.metadata.namespace)
      yield {
        path: ["routeNamespace"],
        given: `is ${JSON.stringify(spec.routeNamespace)} together with \`parentsAgent\``,
        allowed: "the pool's namespace",
        fix: "Remove routeNamespace. The Gateway may be in any namespace whose listeners accept the route.",
      };
  },
};
