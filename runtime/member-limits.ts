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
    of: "An answer of the API server of a member of a cluster set, a page of a list among them",
    beyond: "An error of that member. It is asked again later, and the other members go on.",
  },
  memberEvent: {
    value: 4 * MiB,
    unit: "bytes",
    flag: "--member-max-event-size",
    of: "An event of a watch there",
    beyond: "As an answer that is too long.",
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
    of: "Objects of each other kind that are read of a member",
    beyond: "An error of that member.",
  },
  memberObject: {
    value: 64 * KiB,
    unit: "characters",
    flag: "--member-max-object-size",
    of: "What is kept of an object of a member",
    beyond: "The object counts as not there.",
  },
  poolGateways: {
    value: 16,
    unit: "count",
    of: "Gateways in front of a member's pool that an import names",
    beyond: "Left out.",
  },
  memberAddresses: {
    value: 16,
    unit: "count",
    of: "Addresses of a Service or a Gateway of a member that an import names",
    beyond: "Left out, as are values that are neither IP addresses nor DNS names.",
  },
  memberPorts: {
    value: 64,
    unit: "count",
    of: "Ports of a Service, and listeners of a Gateway, of a member that are looked at",
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
    of: "What an import says of how its clusters are reached",
    beyond: "The clusters of which most is said are left out.",
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
    of: "The time of all pages of a list of a member",
    beyond: "An error of that member.",
  },
  retryAfter: {
    value: longestRetryAfterMs,
    unit: "ms",
    of: "The wait that an API server can ask for",
    beyond: "It is asked after this time.",
  },
  refusal: {
    value: longestRefusal,
    unit: "characters",
    of: "What an API server says of a refusal, in logs, pages and conditions",
    beyond: "Cut.",
  },
  memberExports: {
    value: mostExports,
    unit: "count",
    of: "Pools that a member exports, the oldest first, where `maxExports` of the member says nothing",
    beyond: "Not exported; the pool's status says so.",
  },
  remoteAnswer: {
    value: 32 * MiB,
    unit: "bytes",
    of: "A message of the picker of another cluster",
    beyond: "An error of that cluster: the request goes on to the next.",
  },
  remoteLoadPage: {
    value: 2 * MiB,
    unit: "bytes",
    of: "The metrics page of that picker",
    beyond: "Its load is not known.",
  },
  remoteEndpoints: {
    value: 1_000,
    unit: "count",
    of: "Model servers that it is believed to have, where `maxEndpoints` of the member says nothing",
    beyond: "Not believed: so many count.",
  },
} as const satisfies Record<string, Limit>;
