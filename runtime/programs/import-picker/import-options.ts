import type {
  ClusterPreference,
  ClusterSelection,
  SelectionPolicy,
} from "../../endpoint-picker/imports/choose-cluster.ts";
import type { ImportPlace } from "../../endpoint-picker/imports/open-import.ts";
import type { RemoteTlsOptions } from "../../endpoint-picker/imports/remote-tls.ts";
import type { FlagValues } from "../../manager/flags/command-line.ts";
import type { ServingOptions } from "../endpoint-picker/options.ts";
import type { flagTable } from "../endpoint-picker/table.ts";

/** What the flags of a picker of an import ask for. */
export interface ImportPickerOptions extends ServingOptions {
  readonly import: ImportPlace & {
    /** Undefined where this cluster is none of the import's. */
    readonly localCluster: string | undefined;
    /** Milliseconds. */
    readonly failBackAfter: number;
  };
  readonly selection: SelectionPolicy;
  readonly remote: RemoteOptions;
}

/** How pickers of other clusters are spoken to. */
export interface RemoteOptions {
  readonly plaintext: boolean;
  readonly metricsTls: boolean;
  readonly loopback: boolean;
  readonly tls: RemoteTlsOptions;
}

type Values = FlagValues<typeof flagTable>;
type Given = ReadonlySet<keyof typeof flagTable>;

export function importOptions(
  values: Values,
  name: string,
  namespace: string,
): Omit<ImportPickerOptions, keyof ServingOptions> {
  return {
    import: {
      ...{ namespace, name, file: values.fileSource, localCluster: values.localCluster },
      failBackAfter: values.importFailBack,
    },
    selection: {
      selection: values.importSelection as ClusterSelection,
      preference: values.importPreference as ClusterPreference,
      order: values.importOrder,
    },
    remote: {
      plaintext: values.remotePlaintext,
      metricsTls: values.remoteMetricsTls,
      loopback: values.remoteAllowLoopback,
      tls: {
        caFile: values.remoteCaFile,
        certificateDirectory: values.remoteCertPath,
        serverName: values.remoteServerName,
        insecure: values.remoteInsecure,
      },
    },
  };
}

/** Flags that an import takes the place of, or leaves without meaning. */
const contradicting = [
  ["poolName", "--pool-name"],
  ["endpointSelector", "--endpoint-selector"],
  ["haEnableLeaderElection", "--ha-enable-leader-election"],
] as const satisfies ReadonlyArray<readonly [keyof typeof flagTable, string]>;

/** Flags of TLS, which plain text is without. */
const ofTls = [
  ["remoteCaFile", "--remote-ca-file"],
  ["remoteCertPath", "--remote-cert-path"],
  ["remoteServerName", "--remote-server-name"],
  ["remoteMetricsTls", "--remote-metrics-tls"],
  ["remoteInsecure", "--remote-insecure"],
] as const satisfies ReadonlyArray<readonly [keyof typeof flagTable, string]>;

export function importContradictions(values: Values, given: Given): string[] {
  if (values.import === undefined) return [];
  const others = contradicting.filter(([key]) => given.has(key) && values[key] !== false);
  const tls = values.remotePlaintext ? ofTls.filter(([key]) => given.has(key)) : [];
  const insecureWithCa = values.remoteInsecure && values.remoteCaFile !== undefined;
  return [
    ...others.map(([, flag]) => `${flag}: is for a pool of this cluster; leave it or --import out`),
    ...tls.map(([, flag]) => `${flag}: is for TLS; leave it or --remote-plaintext out`),
    ...(insecureWithCa
      ? ["--remote-ca-file: nothing is verified by it; leave it or --remote-insecure out"]
      : []),
  ];
}

/** Flags of a scheduler that a picker of an import has not. */
const withoutScheduler = ["configFile", "configText"] as const;

export function importWarnings(values: Values): string[] {
  if (values.import === undefined) return [];
  const warnings: string[] = [];
  if (withoutScheduler.some((key) => values[key] !== undefined))
    warnings.push(
      "--config-file and --config-text have no effect: other clusters' pickers schedule",
    );
  if (values.remoteInsecure)
    warnings.push(
      "--remote-insecure: pickers of other clusters are NOT verified; whoever is in between reads and changes prompts, and chooses where they go",
    );
  if (values.remoteAllowLoopback)
    warnings.push(
      "--remote-allow-loopback: other clusters may send requests to this host; it is for clusters on one machine",
    );
  if (values.remotePlaintext)
    warnings.push(
      "--remote-plaintext: prompts go to pickers of other clusters NOT encrypted, unless the network does it",
    );
  return warnings;
}
