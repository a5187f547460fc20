import { controllerName } from "../../../kubernetes/kinds/inference-pool.ts";
import { defaultControllerName } from "../../../sdk/topology/multi-cluster-names.ts";
import type { FlagTable, FlagValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { type FlagType, offByDefault, textOf } from "../../manager/flags/flag-type.ts";
import { leaderElectFlag, operationsFlags } from "../../manager/flags/operations.ts";
import { memberLimitFlags } from "./member-limits.ts";
import { type MemberLocation, parseMember } from "./member-list.ts";
import type { KubeConfigLocation } from "./rotating-client.ts";

const memberForm = "NAME=KUBECONFIG[#CONTEXT]";

const member: FlagType<MemberLocation> = {
  placeholder: memberForm,
  allowed: `${memberForm}, with a DNS label such as cluster-a as the name`,
  parse: parseMember,
  show: ({ name, kubeconfig, context }) =>
    `${name}=${kubeconfig}${context === undefined ? "" : `#${context}`}`,
};

const kubeconfig: FlagType<KubeConfigLocation> = {
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

export const flags = {
  set: {
    title: "Cluster set",
    flags: {
      members: {
        name: "member",
        summary:
          "A member: its name and its kubeconfig. Repeat the flag for each member, or use --members-file.",
        type: member,
        repeated: true,
      },
      membersFile: {
        name: "members-file",
        summary:
          "YAML file `members: [{name, kubeconfig, context?}]`. Reloaded when the file changes.",
        type: textOf("FILE"),
      },
      controllerName: {
        name: "controller-name",
        summary: "Controller name in statuses. Sets that share members need different names.",
        type: nameOfController,
        default: defaultControllerName,
      },
      importIntoExporters: offByDefault(
        "import-into-exporters",
        "Whether clusters that export a pool also import it; each import then also lists its own cluster.",
      ),
      staleAfterMs: {
        name: "stale-after",
        summary:
          "Time for which a member may be unreachable before its exports are withdrawn; with 0 they are never withdrawn.",
        type: duration,
        default: 0,
      },
      drainMs: {
        name: "import-grace-period",
        summary:
          "Time for which an import without clusters is kept after its last export is withdrawn.",
        type: duration,
        default: 30_000,
      },
    },
  },
  members: { title: "Members", flags: memberLimitFlags },
  election: {
    title: "Leader election",
    flags: {
      hub: {
        name: "hub",
        summary:
          "Kubeconfig of the cluster of the Lease, which should not be a member. Without the flag: $KUBECONFIG, otherwise the service account.",
        type: kubeconfig,
      },
      enabled: leaderElectFlag,
      namespace: {
        name: "lease-namespace",
        summary: "Namespace of the Lease.",
        type: textOf("NAMESPACE"),
        default: "kube-system",
      },
    },
  },
  operations: operationsFlags("/metrics and of /debug/clusters"),
} satisfies FlagTable;

export type Values = FlagValues<typeof flags>;
