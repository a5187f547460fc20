import { longestRefusal, longestRetryAfterMs } from "../kubernetes/api/answer-limits.ts";
import type { Limit } from "../scheduling/limits.ts";
import { mostDetail } from "../sdk/multi-cluster/detail-budget.ts";
import { mostExports } from "../sdk/multi-cluster/member-policy.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/** Limits on the cost of a member of a cluster set, and of another cluster's picker. */
export const memberLimits = {
  memberAnswer: {
    value: 16 * MiB,
    unit: "bytes",
    flag: "--member-max-response-size",
    of: "Response of a member's API server, or one page of a list",
    beyond:
      "The controller reports an error for that member and retries later. Other members are not affected.",
  },
  memberEvent: {
    value: 4 * MiB,
    unit: "bytes",
    flag: "--member-max-event-size",
    of: "A watch event from a member",
    beyond:
      "The controller reports an error for that member and retries later. Other members are not affected.",
  },
  memberPools: {
    value: 2_000,
    flag: "--member-max-pools",
    of: "InferencePools of a member, and imports of a member",
    beyond: "The controller reports an error for that member.",
  },
  memberRoutes: {
    value: 5_000,
    flag: "--member-max-routes",
    of: "HTTPRoutes of a member that refer to InferencePools",
    beyond: "The controller reports an error for that member.",
  },
  memberGateways: {
    value: 1_000,
    flag: "--member-max-gateways",
    of: "Gateways of a member",
    beyond: "The controller reports an error for that member.",
  },
  memberObjects: {
    value: 20_000,
    flag: "--member-max-objects",
    of: "Objects of each other kind in a member",
    beyond: "The controller reports an error for that member.",
  },
  memberObject: {
    value: 64 * KiB,
    unit: "characters",
    flag: "--member-max-object-size",
    of: "Data stored for each object of a member",
    beyond: "The object is treated as missing.",
  },
  poolGateways: {
    value: 16,
    of: "Gateways in front of a member's pool that an import lists",
    beyond: "Further gateways are left out.",
  },
  memberAddresses: {
    value: 16,
    of: "Addresses of a member's Service or Gateway that an import lists",
    beyond:
      "Further addresses are left out, and so are values that are neither IP addresses nor DNS names.",
  },
  memberPorts: {
    value: 64,
    of: "Ports of a member's Service, and listeners of a member's Gateway",
    beyond: "Further ones are ignored.",
  },
  memberMessage: {
    value: 1_024,
    unit: "characters",
    of: "Message in a condition of a member's Gateway",
    beyond: "The message is cut.",
  },
  importDetail: {
    value: mostDetail,
    unit: "characters",
    of: "Data in an import about how to reach its clusters",
    beyond: "The clusters with the most data are left out.",
  },
  memberPages: {
    value: 1_000,
    flag: "--member-max-pages",
    of: "Pages of a list from a member",
    beyond: "The controller reports an error for that member.",
  },
  memberListTime: {
    value: 120_000,
    unit: "ms",
    flag: "--member-list-timeout",
    of: "Time for all pages of a list from a member",
    beyond: "The controller reports an error for that member.",
  },
  retryAfter: {
    value: longestRetryAfterMs,
    unit: "ms",
    of: "Delay that an API server can request (Retry-After)",
    beyond: "The controller retries after this time.",
  },
  refusal: {
    value: longestRefusal,
    unit: "characters",
    of: "Error message of an API server in logs, pages and conditions",
    beyond: "The message is cut.",
  },
  memberExports: {
    value: mostExports,
    of: "Pools that a member exports, the oldest first, unless `maxExports` of the member is set",
    beyond: "Further pools are not exported, and their status reports it.",
  },
  remoteAnswer: {
    value: 32 * MiB,
    unit: "bytes",
    of: "A message from another cluster's picker",
    beyond: "It counts as an error of that cluster, and the next cluster gets the request.",
  },
  remoteLoadPage: {
    value: 2 * MiB,
    unit: "bytes",
    of: "Metrics page of another cluster's picker",
    beyond: "The load of the cluster is unknown.",
  },
  remoteEndpoints: {
    value: 1_000,
    of: "Model servers that another cluster's picker may report, unless `maxEndpoints` of the member is set",
    beyond: "A higher number is treated as this limit.",
  },
} as const satisfies Record<string, Limit>;
