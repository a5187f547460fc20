import { longestRefusal, longestRetryAfterMs } from "../kubernetes/api/answer-limits.ts";
import type { Limit } from "../scheduling/limits.ts";
import { mostDetail } from "../sdk/multi-cluster/detail-room.ts";
import { mostExports } from "../sdk/multi-cluster/member-policy.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/** What a member of a cluster set, and a picker of another cluster, may cost. */
export const memberLimits = {
  memberAnswer: {
    value: 16 * MiB,
    unit: "bytes",
    flag: "--member-max-response-size",
    of: "A response of the API server of a cluster set's member, such as a page of a list",
    beyond:
      "An error of that member. The request is retried later; other members are not affected.",
  },
  memberEvent: {
    value: 4 * MiB,
    unit: "bytes",
    flag: "--member-max-event-size",
    of: "An event of a watch in a member",
    beyond: "Handled like a response that is too long.",
  },
  memberPools: {
    value: 2_000,
    unit: "count",
    flag: "--member-max-pools",
    of: "InferencePools and imports of a member, of each kind",
    beyond: "An error of that member.",
  },
  memberRoutes: {
    value: 5_000,
    unit: "count",
    flag: "--member-max-routes",
    of: "HTTPRoutes to InferencePools of a member",
    beyond: "An error of that member.",
  },
  memberGateways: {
    value: 1_000,
    unit: "count",
    flag: "--member-max-gateways",
    of: "Gateways of a member",
    beyond: "An error of that member.",
  },
  memberObjects: {
    value: 20_000,
    unit: "count",
    flag: "--member-max-objects",
    of: "Objects of each other kind that are read from a member",
    beyond: "An error of that member.",
  },
  memberObject: {
    value: 64 * KiB,
    unit: "characters",
    flag: "--member-max-object-size",
    of: "The kept fields of an object of a member",
    beyond: "The object counts as missing.",
  },
  poolGateways: {
    value: 16,
    unit: "count",
    of: "Gateways of a member's pool in an import",
    beyond: "Left out.",
  },
  memberAddresses: {
    value: 16,
    unit: "count",
    of: "Addresses of a Service or a Gateway of a member in an import",
    beyond: "Omitted, like values that are neither IP addresses nor DNS names.",
  },
  memberPorts: {
    value: 64,
    unit: "count",
    of: "Ports of a Service and listeners of a Gateway of a member",
    beyond: "Passed over.",
  },
  memberMessage: {
    value: 1_024,
    unit: "characters",
    of: "The message of a condition of a member's Gateway",
    beyond: "Cut.",
  },
  importDetail: {
    value: mostDetail,
    unit: "characters",
    of: "The addresses of the clusters in an import",
    beyond: "The clusters with the most data are omitted.",
  },
  memberPages: {
    value: 1_000,
    unit: "count",
    flag: "--member-max-pages",
    of: "Pages of a list of a member",
    beyond: "An error of that member.",
  },
  memberListTime: {
    value: 120_000,
    unit: "ms",
    flag: "--member-list-timeout",
    of: "The time to read all pages of a list of a member",
    beyond: "An error of that member.",
  },
  retryAfter: {
    value: longestRetryAfterMs,
    unit: "ms",
    of: "The wait that an API server can request",
    beyond: "The next request is sent after this time.",
  },
  refusal: {
    value: longestRefusal,
    unit: "characters",
    of: "An error message of an API server, in logs, pages and conditions",
    beyond: "Cut.",
  },
  memberExports: {
    value: mostExports,
    unit: "count",
    of: "Pools that a member exports, oldest first, if `maxExports` of the member is not set",
    beyond: "Not exported; the pool's status reports it.",
  },
  remoteAnswer: {
    value: 32 * MiB,
    unit: "bytes",
    of: "A message of the picker of another cluster",
    beyond: "An error of that cluster; the request is sent to the next one.",
  },
  remoteLoadPage: {
    value: 2 * MiB,
    unit: "bytes",
    of: "The metrics page of the picker of another cluster",
    beyond: "Its load is unknown.",
  },
  remoteEndpoints: {
    value: 1_000,
    unit: "count",
    of: "Model servers that it may report, if `maxEndpoints` of the member is not set",
    beyond: "Only this many count.",
  },
} as const satisfies Record<string, Limit>;
