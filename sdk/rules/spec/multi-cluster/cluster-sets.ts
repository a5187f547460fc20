import type { Invariant } from "../../../invariant.ts";
import type { RawSpec } from "../../helpers/raw-spec.ts";

export const clusterSetRules: ReadonlyArray<Invariant<RawSpec>> = [
  {
    id: "members-are-named-once",
    title: "Members of a cluster set have unique names",
    why: "Two clusters with the same name would overwrite each other's entries in every import.",
    source: "Multi-Cluster Inference proposal, ImportedCluster: 'must be unique within the list'",
    code: "conflict",
    *check({ spec }) {
      const members = Array.isArray(spec.members)
        ? (spec.members as Array<{ name?: unknown }>)
        : [];
      const names = members.map((member) => member?.name);
      for (const [at, name] of names.entries()) {
        const first = names.indexOf(name);
        if (first === at || name === undefined) continue;
        yield {
          path: ["members", at, "name"],
          given: `is ${JSON.stringify(name)}, which is also the name of members[${first}]`,
          allowed: "each cluster once",
          fix: "Rename or remove one of the two members.",
        };
      }
    },
  },
];
