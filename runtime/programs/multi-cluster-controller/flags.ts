import { controllerName } from "../../../kubernetes/kinds/inference-pool.ts";
import { defaultControllerName } from "../../../sdk/multi-cluster/names.ts";
import { type FlagTable, parseCommandLine } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, type FlagType, textOf } from "../../manager/flags/flag-type.ts";
import { flagHelp } from "../../manager/flags/help.ts";
import { operationsFlags } from "../../manager/flags/operations.ts";
import type { NothingToRun } from "../../manager/program.ts";
import { type MemberLimits, memberLimitFlags, memberLimitsOf } from "./member-limits.ts";
import { type MemberPlace, parseMember, repeated } from "./member-list.ts";
import type { KubeConfigPlace } from "./rotating-client.ts";

const memberForm = "NAME=KUBECONFIG[#CONTEXT]";

const member: FlagType<MemberPlace> = {
  placeholder: memberForm,
  allowed: `${memberForm}, the name a label of DNS such as cluster-a`,
  parse: parseMember,
  show: ({ name, kubeconfig, context }) =>
    `${name}=${kubeconfig}${context === undefined ? "" : `#${context}`}`,
};

const kubeconfig: FlagType<KubeConfigPlace> = {
  placeholder: "KUBECONFIG[#CONTEXT]",
  allowed: "KUBECONFIG[#CONTEXT]",
  parse: (text) => {
    const [, file, context] = /^([^#]+)(?:#(.+))?$/.exec(text) ?? [];
    return file === undefined ? undefined : { file, context };
  },
  show: ({ file, context }) => `${file}${context === undefined ? "" : `#${context}`}`,
};

const nameOfController: FlagType<string> = {
  placeholder: "DOMAIN/PATH",
  allowed: "DOMAIN/PATH",
  parse: (text) => controllerName.safeParse(text).data,
  show: (value) => value,
};

const flagTable = {
  member: {
    name: "member",
    group: "Cluster set",
    summary: "A member: its name and its kubeconfig. Repeated for each; or give --members-file.",
    type: member,
    default: undefined,
  },
  membersFile: {
    name: "members-file",
    group: "Cluster set",
    summary:
      "YAML file `members: [{name, kubeconfig, context?}]`. Members come and go as the file changes.",
    type: textOf("FILE"),
    default: undefined,
  },
  controllerName: {
    name: "controller-name",
    group: "Cluster set",
    summary: "Under which name statuses are written. Two sets with members in common need two.",
    type: nameOfController,
    default: defaultControllerName,
  },
  importIntoExporters: {
    name: "import-into-exporters",
    group: "Cluster set",
    summary:
      "Whether clusters that export a pool import it as well, themselves among its clusters.",
    type: boolean,
    default: false,
  },
  staleAfter: {
    name: "stale-after",
    group: "Cluster set",
    summary: "Exports of a member that is silent for so long are withdrawn; 0 for never.",
    type: duration,
    default: 0,
  },
  drain: {
    name: "drain",
    group: "Cluster set",
    summary: "How long an import is kept, without clusters, after its last export is withdrawn.",
    type: duration,
    default: 30_000,
  },
  ...memberLimitFlags,
  hub: {
    name: "hub",
    group: "Leader election",
    summary:
      "Cluster of the Lease, which should be no member. Without the flag KUBECONFIG, else the service account.",
    type: kubeconfig,
    default: undefined,
  },
  leaderElect: {
    name: "leader-elect",
    group: "Leader election",
    summary: "Whether replicas agree by a Lease on who writes.",
    type: boolean,
    default: true,
  },
  leaseNamespace: {
    name: "lease-namespace",
    group: "Leader election",
    summary: "Namespace of the Lease.",
    type: textOf("NAMESPACE"),
    default: "kube-system",
  },
  ...operationsFlags("/metrics and of /debug/clusters"),
} satisfies FlagTable;

/** What the flags ask for. Durations in milliseconds. */
export interface MultiClusterFlags {
  /** Empty where they stand in a file. */
  readonly members: readonly MemberPlace[];
  readonly membersFile: string | undefined;
  readonly controllerName: string;
  readonly importIntoExporters: boolean;
  readonly staleAfter: number;
  readonly drain: number;
  /** What is taken of each member. */
  readonly limits: MemberLimits;
  readonly hub: KubeConfigPlace;
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  readonly metricsPort: number;
  readonly metricsAuth: boolean;
  readonly healthPort: number;
  readonly verbosity: number;
}

/** What a command line turns out to be. */
export type Invocation = { readonly kind: "run"; readonly flags: MultiClusterFlags } | NothingToRun;

/** Reads the command line of `multi-cluster-controller`. */
export function readFlags(args: readonly string[]): Invocation {
  const members: MemberPlace[] = [];
  const table = {
    ...flagTable,
    // The last of a repeated flag is its value: each is noted when it is read.
    member: {
      ...flagTable.member,
      type: {
        ...member,
        parse: (text: string) => {
          const place = parseMember(text);
          if (place !== undefined) members.push(place);
          return place;
        },
      },
    },
  };
  const { values, help, problems } = parseCommandLine(table, args);
  if (help) return { kind: "help", text: helpText() };
  const { member: _, hub = {}, ...flags } = values;
  const twice = repeated(members.map(({ name }) => name));
  const wrong = [
    ...problems,
    ...(twice === undefined ? [] : [`--member: ${twice} is there twice; name it once`]),
    ...(members.length > 0 === (flags.membersFile !== undefined)
      ? ["give members: either --member, once for each, or --members-file"]
      : []),
  ];
  if (wrong.length > 0) return { kind: "wrong", problems: wrong };
  return { kind: "run", flags: { ...flags, hub, members, limits: memberLimitsOf(flags) } };
}

const helpText =
  () => `Imports the InferencePools that members of a cluster set export into the other members.

Usage: multi-cluster-controller [flags]

${flagHelp(flagTable)}`;
