import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import {
  entriesOf,
  integer,
  listOf,
  offByDefault,
  oneOf,
  text,
  textOf,
} from "../../manager/flags/flag-type.ts";
import { clusterPreferences, clusterSelections } from "../imports/choose-cluster.ts";

/** Flags for the clusters of an import and their selection. */
export const importFlags = {
  title: "Other clusters",
  flags: {
    name: {
      name: "import",
      summary:
        "Name of an InferencePoolImport, instead of --pool-name: requests are sent to the clusters that export the pool.",
      type: textOf("NAME"),
    },
    selection: {
      name: "import-selection",
      summary:
        "How a request's cluster is selected: at random by free capacity, at random among responding clusters, or always the first responding cluster.",
      type: oneOf(...clusterSelections),
      default: "metric-based",
    },
    order: {
      name: "import-order",
      summary: "Failover order for active-passive; unlisted clusters follow by name.",
      type: listOf(textOf("CLUSTER")),
      default: [],
    },
    preference: {
      name: "import-preference",
      summary:
        "PreferLocal sends requests to other clusters only if --local-cluster has no endpoints or a longer queue than --import-spillover-queue-threshold. PreferNearest does the same, and prefers clusters of --local-zone, then of --local-region, then any other. PreferOthers uses --local-cluster only if no other cluster has endpoints.",
      type: oneOf(...clusterPreferences),
      default: "PreferLocal",
    },
    spilloverQueueThreshold: {
      name: "import-spillover-queue-threshold",
      summary:
        "Queued requests per endpoint of a cluster, from which PreferLocal and PreferNearest no longer prefer the cluster.",
      type: integer(1, 1_000_000),
      default: 5,
    },
    weights: {
      name: "import-weights",
      summary:
        "Factors for the probability of clusters in a random selection. With 0, a cluster gets requests only if no other cluster can serve them. Default for unlisted clusters: 1.",
      type: entriesOf("CLUSTER", integer(0, 1_000_000)),
      default: new Map(),
    },
    localRegion: {
      name: "local-region",
      summary: "Region of this cluster, for PreferNearest.",
      type: textOf("REGION"),
    },
    localZone: {
      name: "local-zone",
      summary: "Zone of this cluster, for PreferNearest.",
      type: textOf("ZONE"),
    },
    localCluster: {
      name: "local-cluster",
      summary: "Name of this cluster in the import.",
      type: textOf("CLUSTER"),
    },
    hopLimit: {
      name: "import-hop-limit",
      summary:
        "Maximum number of clusters that forward a request. At the limit, it is sent to the pool of --local-cluster or refused.",
      type: integer(1, 16),
      default: 1,
    },
    failbackDelayMs: {
      name: "import-failback-delay",
      summary: "How long a failed cluster must keep responding before it gets requests again.",
      type: duration,
      default: 5_000,
    },
  },
} satisfies FlagGroup;

/** Flags for connections to pickers of other clusters. */
export const remoteFlags = {
  title: "Pickers of other clusters",
  flags: {
    caFile: {
      name: "remote-ca-file",
      summary:
        "CA certificates that verify pickers of other clusters. Without the flag, the system's CAs. Reloaded when they change.",
      type: textOf("FILE"),
    },
    certificateDirectory: {
      name: "remote-cert-path",
      summary:
        "Directory with tls.crt and tls.key, the client certificate for pickers of other clusters. Reloaded when they change.",
      type: textOf("DIR"),
    },
    serverName: {
      name: "remote-server-name",
      summary:
        "Expected name in the certificates of these pickers. {cluster} is replaced by the cluster's name, so one cluster's certificate is invalid for another. Without the flag, the name of the picker's Service, or its address.",
      type: text,
    },
    metricsTls: offByDefault(
      "remote-metrics-tls",
      "Reads the metrics of these pickers over TLS, verified in the same way.",
    ),
    insecure: offByDefault(
      "remote-insecure",
      "Accepts any certificate of these pickers. An attacker on the network can then read and change requests.",
    ),
    allowLoopback: offByDefault(
      "remote-allow-loopback",
      "Accepts addresses of this host from other clusters, for clusters on one machine. Otherwise they are refused; link-local addresses are always refused.",
    ),
    plaintext: offByDefault(
      "remote-plaintext",
      "Connects to these pickers without TLS, for networks that encrypt all traffic.",
    ),
  },
} satisfies FlagGroup;

/** Flags for probes of other clusters' gateways. The local gateway, not the picker, sends the requests. */
export const parentFlags = {
  title: "Gateways of other clusters",
  flags: {
    serverName: {
      name: "parent-server-name",
      summary:
        "Expected name in the certificates of these gateways; {cluster} is replaced by the cluster's name. Probes then use TLS. Without the flag, they use plain HTTP.",
      type: text,
    },
    caFile: {
      name: "parent-ca-file",
      summary:
        "CA certificates that verify these gateways. Without the flag, the system's CAs. Reloaded when they change.",
      type: textOf("FILE"),
    },
    probePath: {
      name: "parent-probe-path",
      summary:
        "Path of the GET request that probes each of these gateways. A gateway that returns 404 or 5xx gets no requests. Without the flag, a connection is enough.",
      type: textOf("PATH"),
    },
    probeHost: {
      name: "parent-probe-host",
      summary: "Host header of that probe. Without the flag, the gateway's address.",
      type: textOf("HOST"),
    },
  },
} satisfies FlagGroup;

export type ParentOptions = GroupValues<typeof parentFlags>;
export type ImportOptions = GroupValues<typeof importFlags>;
export type RemoteOptions = GroupValues<typeof remoteFlags>;
