import {
  clusterPreferences,
  clusterSelections,
} from "../../endpoint-picker/imports/choose-cluster.ts";
import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import {
  boolean,
  entriesOf,
  integer,
  listOf,
  oneOf,
  text,
  textOf,
} from "../../manager/flags/flag-type.ts";

/** Which clusters a picker of an import chooses from, and how. */
export const importFlags = {
  title: "Other clusters",
  flags: {
    name: {
      name: "import",
      summary:
        "Name of an InferencePoolImport, in place of --pool-name: requests go to the clusters that export the pool.",
      type: textOf("NAME"),
    },
    selection: {
      name: "import-selection",
      summary:
        "How a request's cluster is chosen: at random by free capacity, at random among those that answer, or always the first that answers.",
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
        "PreferLocal sends requests to other clusters only where --local-cluster has no endpoints, or where more wait there than --import-spillover-queue-threshold; PreferNearest likewise, and then to clusters of --local-zone, of --local-region and to all others; PreferOthers sends requests to --local-cluster only where no other has endpoints.",
      type: oneOf(...clusterPreferences),
      default: "PreferLocal",
    },
    spilloverQueueThreshold: {
      name: "import-spillover-queue-threshold",
      summary:
        "Requests that wait in a cluster for each of its endpoints, from which PreferLocal and PreferNearest prefer it no more.",
      type: integer(1, 1_000_000),
      default: 5,
    },
    weights: {
      name: "import-weights",
      summary:
        "By which a cluster's chance in a selection at random is multiplied; 0 for one that gets requests only where no other can. Clusters that are not listed have 1.",
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
      summary: "Name of this cluster among those of the import.",
      type: textOf("CLUSTER"),
    },
    hopLimit: {
      name: "import-hop-limit",
      summary:
        "Through how many clusters a request may be sent on; one that came so far goes to the pool of --local-cluster or is refused.",
      type: integer(1, 16),
      default: 1,
    },
    failbackDelayMs: {
      name: "import-failback-delay",
      summary: "Time for which a cluster that failed has to answer before it gets requests again.",
      type: duration,
      default: 5_000,
    },
  },
} satisfies FlagGroup;

/** How pickers of other clusters are spoken to. */
export const remoteFlags = {
  title: "Pickers of other clusters",
  flags: {
    caFile: {
      name: "remote-ca-file",
      summary:
        "Certificates of the CAs by which pickers of other clusters are verified; without the flag those of the system. Read again when they change.",
      type: textOf("FILE"),
    },
    certificateDirectory: {
      name: "remote-cert-path",
      summary:
        "Directory with tls.crt and tls.key that pickers of other clusters are shown. Read again when they change.",
      type: textOf("DIR"),
    },
    serverName: {
      name: "remote-server-name",
      summary:
        "Name that certificates of these pickers are for, {cluster} in it for the cluster's name, so that none is good for another's; without the flag that of the picker's Service, or its address.",
      type: text,
    },
    metricsTls: {
      name: "remote-metrics-tls",
      summary: "Reads the metrics of these pickers over TLS, verified in the same way.",
      type: boolean,
      default: false,
    },
    insecure: {
      name: "remote-insecure",
      summary:
        "Takes any certificate of these pickers: whoever is in between reads and changes requests.",
      type: boolean,
      default: false,
    },
    allowLoopback: {
      name: "remote-allow-loopback",
      summary:
        "Lets other clusters name addresses of this host, for clusters on one machine. Without it they are refused, as link-local ones always are.",
      type: boolean,
      default: false,
    },
    plaintext: {
      name: "remote-plaintext",
      summary: "Speaks to these pickers without TLS, for networks that encrypt by themselves.",
      type: boolean,
      default: false,
    },
  },
} satisfies FlagGroup;

/** How gateways of other clusters are looked at; requests to them are sent by the gateway here. */
export const parentFlags = {
  title: "Gateways of other clusters",
  flags: {
    serverName: {
      name: "parent-server-name",
      summary:
        "Name that certificates of these gateways are for, {cluster} in it for the cluster's name: they are looked at over TLS. Without the flag over plain HTTP.",
      type: text,
    },
    caFile: {
      name: "parent-ca-file",
      summary:
        "Certificates of the CAs by which these gateways are verified; without the flag those of the system. Read again when they change.",
      type: textOf("FILE"),
    },
    probePath: {
      name: "parent-probe-path",
      summary:
        "Path of a GET that each of these gateways is asked; one that says 404 or 5xx gets no requests. Without the flag a connection is enough.",
      type: textOf("PATH"),
    },
    probeHost: {
      name: "parent-probe-host",
      summary: "Host of that request; without the flag the gateway's address.",
      type: textOf("HOST"),
    },
  },
} satisfies FlagGroup;

export type ParentOptions = GroupValues<typeof parentFlags>;
export type ImportOptions = GroupValues<typeof importFlags>;
export type RemoteOptions = GroupValues<typeof remoteFlags>;
