import type { Program } from "../../manager/program.ts";
import { flags, type Values } from "./flags.ts";
import { memberLimitsOf } from "./member-limits.ts";
import { repeated } from "./member-list.ts";

/** Options set by the flags. */
export type MultiClusterOptions = ReturnType<typeof options>;

const options = ({ set, members, election, operations }: Values) => ({
  ...set,
  /** Limits on the data read from each member. */
  limits: memberLimitsOf(members),
  hub: election.hub ?? {},
  /** Undefined without leader election. */
  leaseNamespace: election.enabled ? election.namespace : undefined,
  operations,
  verbosity: operations.verbosity,
});

/** Imports the pools that members of a cluster set export into the other members. */
export const program: Program<typeof flags, MultiClusterOptions> = {
  name: "multi-cluster-controller",
  title: "the controller of the cluster set",
  summary:
    "Imports the InferencePools that members of a cluster set export into the other members.",
  flags,
  problems({ set: { members, membersFile } }) {
    const twice = repeated(members.map(({ name }) => name));
    return [
      ...(twice === undefined ? [] : [`--member: ${twice} is given twice; give it once`]),
      ...(members.length > 0 === (membersFile !== undefined)
        ? ["give members: either --member, once for each, or --members-file"]
        : []),
    ];
  },
  options,
  start: async (options, log) =>
    (await import("./start.ts")).startMultiClusterController(options, log),
};
