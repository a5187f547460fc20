import {
  clusterPreferences,
  clusterSelections,
} from "../../endpoint-picker/imports/choose-cluster.ts";
import type { FlagTable } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, listOf, oneOf, text, textOf } from "../../manager/flags/flag-type.ts";

/** Flags of a picker whose endpoints are in other clusters. */
export const importTable = {
  import: {
    name: "import",
    group: "Other clusters",
    summary:
      "Name of an InferencePoolImport, in place of --pool-name: requests go to the clusters that export the pool.",
    type: textOf("NAME"),
    default: undefined,
  },
  importSelection: {
    name: "import-selection",
    group: "Other clusters",
    summary:
      "How a request's cluster is chosen: at random by free capacity, at random among those that answer, or always the first that answers.",
    type: oneOf(...clusterSelections),
    default: "metric-based",
  },
  importOrder: {
    name: "import-order",
    group: "Other clusters",
    summary: "Clusters of active-passive, the first first; others follow by name.",
    type: listOf(textOf("CLUSTER")),
    default: [],
  },
  importPreference: {
    name: "import-preference",
    group: "Other clusters",
    summary:
      "PreferLocal sends requests to other clusters only where --local-cluster has no endpoints.",
    type: oneOf(...clusterPreferences),
    default: "PreferLocal",
  },
  localCluster: {
    name: "local-cluster",
    group: "Other clusters",
    summary: "Name of this cluster among those of the import.",
    type: textOf("CLUSTER"),
    default: undefined,
  },
  importFailBack: {
    name: "import-fail-back",
    group: "Other clusters",
    summary: "Time for which a cluster that failed has to answer before it gets requests again.",
    type: duration,
    default: 5_000,
  },
  remoteCaFile: {
    name: "remote-ca-file",
    group: "Other clusters",
    summary:
      "Certificates of the CAs by which pickers of other clusters are verified; without the flag those of the system. Read again when they change.",
    type: textOf("FILE"),
    default: undefined,
  },
  remoteCertPath: {
    name: "remote-cert-path",
    group: "Other clusters",
    summary:
      "Directory with tls.crt and tls.key that pickers of other clusters are shown. Read again when they change.",
    type: textOf("DIR"),
    default: undefined,
  },
  remoteServerName: {
    name: "remote-server-name",
    group: "Other clusters",
    summary:
      "Name that certificates of these pickers are for, {cluster} in it for the cluster's name, so that none is good for another's; without the flag that of the picker's Service, or its address.",
    type: text,
    default: undefined,
  },
  remoteMetricsTls: {
    name: "remote-metrics-tls",
    group: "Other clusters",
    summary: "Reads the metrics of these pickers over TLS, verified in the same way.",
    type: boolean,
    default: false,
  },
  remoteInsecure: {
    name: "remote-insecure",
    group: "Other clusters",
    summary:
      "Takes any certificate of these pickers: whoever is in between reads and changes requests.",
    type: boolean,
    default: false,
  },
  remoteAllowLoopback: {
    name: "remote-allow-loopback",
    group: "Other clusters",
    summary:
      "Lets other clusters name addresses of this host, for clusters on one machine. Without it they are refused, as link-local ones always are.",
    type: boolean,
    default: false,
  },
  remotePlaintext: {
    name: "remote-plaintext",
    group: "Other clusters",
    summary: "Speaks to these pickers without TLS, for networks that encrypt by themselves.",
    type: boolean,
    default: false,
  },
} satisfies FlagTable;
