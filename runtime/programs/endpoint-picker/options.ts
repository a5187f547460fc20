import { limits } from "../../limits.ts";
import {
  type CommandLine,
  type FlagValues,
  parseCommandLine,
} from "../../manager/flags/command-line.ts";
import { flagHelp } from "../../manager/flags/help.ts";
import type { NothingToRun } from "../../manager/program.ts";
import { cipherList, type TlsVersion, tlsVersions } from "../../manager/tls/go-names.ts";
import {
  type ImportPickerOptions,
  importContradictions,
  importOptions,
  importWarnings,
} from "../import-picker/import-options.ts";
import { flagTable, withoutEffect } from "./table.ts";

/** Which endpoints a picker picks from, and where it learns of them. */
export type PoolSelection =
  | {
      readonly kind: "pool";
      readonly group: string;
      readonly namespace: string;
      readonly name: string;
    }
  | {
      readonly kind: "pods";
      readonly namespace: string;
      /** As metrics and the lease name the pool. */
      readonly name: string;
      readonly selector: string;
      readonly targetPorts: readonly number[];
    }
  | {
      readonly kind: "file";
      readonly file: string;
      readonly namespace: string;
      /** Undefined where the file's only pool is meant. */
      readonly name: string | undefined;
    };

/** What the flags ask for. Durations in milliseconds. */
export interface EndpointPickerOptions extends ServingOptions {
  readonly pool: PoolSelection;
  /** Undefined for the default configuration. */
  readonly config: { readonly file: string } | { readonly text: string } | undefined;
  readonly scheduling: {
    readonly refreshMetricsInterval: number;
    readonly metricsStalenessThreshold: number;
    readonly subsetFilter: boolean;
    readonly emitEndpointScores: boolean;
    readonly trustModelNameHeader: boolean;
    readonly modelRewriteHeader: boolean;
    readonly conformanceHeaders: boolean;
    readonly servedEndpointHeader: boolean;
    readonly followResponses: boolean;
  };
}

/** What every picker has, whichever endpoints it picks from. */
export interface ServingOptions {
  readonly serving: {
    readonly port: number;
    readonly healthPort: number;
    /** The health service on `port` too. */
    readonly healthOnPort: boolean;
    readonly maxReceiveBytes: number;
    readonly maxBodyBytes: number;
    /** Undefined for a share of the heap. */
    readonly maxBufferedBytes: number | undefined;
    readonly drainTimeout: number;
    readonly shutdownTimeout: number;
    readonly requestTimeout: number;
    readonly maxStreamAge: number;
    readonly leaderElection: boolean;
  };
  /** Undefined for plain text. */
  readonly tls: ServingTls | undefined;
  readonly metrics: {
    readonly port: number;
    /** Readers must be allowed by the API server. */
    readonly auth: boolean;
    /** Undefined for plain HTTP. */
    readonly certificateDirectory: string | undefined;
    readonly clientCaFile: string | undefined;
    /** What the P95 of LLMServices' latencies is over. */
    readonly objectiveWindow: number;
  };
  readonly verbosity: number;
}

export interface ServingTls {
  /** Undefined for a self-signed certificate. */
  readonly certificateDirectory: string | undefined;
  /** Undefined where clients need no certificate. */
  readonly clientCaFile: string | undefined;
  readonly reload: boolean;
  readonly minVersion: TlsVersion | undefined;
  /** OpenSSL's cipher list; undefined for Node's. */
  readonly ciphers: string | undefined;
}

/** What a command line turns out to be. */
export type Invocation =
  | {
      readonly kind: "run";
      readonly options: EndpointPickerOptions;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: "import";
      readonly options: ImportPickerOptions;
      readonly warnings: readonly string[];
    }
  | NothingToRun;

/** Shortest time between two readings of one server's metrics, that of the upstream picker. */
const minRefreshMetricsInterval = 50;

const minObjectiveWindow = 1_000;

type Values = FlagValues<typeof flagTable>;
type Given = CommandLine<typeof flagTable>["given"];

/** Reads the command line of `endpoint-picker`. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Invocation {
  const { values, given, help, problems } = parseCommandLine(flagTable, args);
  if (help) return { kind: "help", text: helpText() };
  const wrong = [...problems, ...contradictions(values, given)];
  if (wrong.length > 0) return { kind: "wrong", problems: wrong };
  const warnings = warningsOf(values, given);
  const serving = servingOf(values, given);
  const namespace = values.poolNamespace ?? (env.NAMESPACE || "default");
  if (values.import !== undefined) {
    const options = { ...importOptions(values, values.import, namespace), ...serving };
    return { kind: "import", options, warnings };
  }
  return {
    kind: "run",
    options: {
      pool: poolOf(values, namespace, env),
      config: configOf(values),
      scheduling: schedulingOf(values),
      ...serving,
    },
    warnings,
  };
}

const helpText =
  () => `The endpoint picker of an InferencePool: an ext_proc service that sends each inference request
to the model server that serves it best.

Usage: endpoint-picker --pool-name NAME [flags]

${flagHelp(flagTable)}`;

function contradictions(values: Values, given: Given): string[] {
  const problems: Array<[wrong: boolean, problem: string]> = [
    [
      values.poolName === undefined &&
        values.endpointSelector === undefined &&
        values.fileSource === undefined &&
        values.import === undefined,
      "no pool: give --pool-name, --endpoint-selector, --import or --file-source",
    ],
    [
      values.endpointSelector !== undefined &&
        (values.poolName !== undefined || values.fileSource !== undefined),
      "--endpoint-selector: takes the place of a pool; leave out --pool-name and --file-source",
    ],
    [
      values.endpointSelector !== undefined &&
        (values.endpointTargetPorts.length < 1 || values.endpointTargetPorts.length > 8),
      `--endpoint-target-ports: ${values.endpointTargetPorts.length} ports; with --endpoint-selector give 1 to 8`,
    ],
    [
      values.configFile !== undefined && values.configText !== undefined,
      "--config-file and --config-text: both were given; give one",
    ],
    [
      values.clientCaFile !== undefined && !values.secureServing,
      "--client-ca-file: client certificates need TLS; leave it or --secure-serving=false out",
    ],
    [
      values.metricsClientCaFile !== undefined && values.metricsCertDir === undefined,
      "--metrics-client-ca-file: client certificates need TLS; give --metrics-cert-dir too",
    ],
    [
      values.metricsCertDir !== undefined &&
        values.metricsClientCaFile === undefined &&
        !metricsAuth(values, given),
      "--metrics-cert-dir: TLS without knowing the reader; give --metrics-client-ca-file or --metrics-endpoint-auth",
    ],
    [
      values.fileSource !== undefined &&
        given.has("metricsEndpointAuth") &&
        values.metricsEndpointAuth,
      "--metrics-endpoint-auth: asks the API server, and with --file-source there is none; leave one out",
    ],
    [
      values.objectiveWindow < minObjectiveWindow,
      "--objective-window: too short to tell a P95 of; give 1s or more",
    ],
    [
      values.fileSource !== undefined && values.haEnableLeaderElection,
      "--ha-enable-leader-election: needs the API server, and with --file-source there is none; leave one out",
    ],
  ];
  return [
    ...problems.filter(([wrong]) => wrong).map(([, problem]) => problem),
    ...importContradictions(values, given),
  ];
}

function warningsOf(values: Values, given: Given): string[] {
  const warnings: string[] = [];
  for (const key of given) {
    const flag = flagTable[key];
    if (flag.group === withoutEffect && values[key] !== flag.default)
      warnings.push(`--${flag.name} has no effect: ${flag.summary}`);
  }
  if (values.refreshMetricsInterval < minRefreshMetricsInterval)
    warnings.push(`--refresh-metrics-interval is below 50ms: 50ms is used`);
  if (values.enableCertReload && values.certPath === undefined)
    warnings.push(
      "--enable-cert-reload has no effect: without --cert-path there is nothing to reload",
    );
  return [...warnings, ...importWarnings(values)];
}

const schedulingOf = (values: Values): EndpointPickerOptions["scheduling"] => ({
  refreshMetricsInterval: Math.max(values.refreshMetricsInterval, minRefreshMetricsInterval),
  metricsStalenessThreshold: values.metricsStalenessThreshold,
  subsetFilter: !values.disableEndpointSubsetFilter,
  emitEndpointScores: values.emitEndpointScores,
  trustModelNameHeader: values.trustModelNameHeader,
  modelRewriteHeader: values.modelRewriteHeader,
  conformanceHeaders: values.conformanceHeaders,
  servedEndpointHeader: values.servedEndpointHeader,
  followResponses: values.followResponses,
});

function servingOf(values: Values, given: Given): ServingOptions {
  return {
    serving: {
      port: values.grpcPort,
      healthPort: values.grpcHealthPort,
      healthOnPort: values.healthChecking,
      maxReceiveBytes:
        values.grpcMaxRecvMsgSize ?? values.maxRequestBodySize + limits.messageOverhead.value,
      maxBodyBytes: values.maxRequestBodySize,
      maxBufferedBytes: values.maxBufferedBodySize,
      drainTimeout: values.drainTimeout,
      shutdownTimeout: values.shutdownTimeout,
      requestTimeout: values.requestTimeout,
      maxStreamAge: values.maxStreamAge,
      leaderElection: values.haEnableLeaderElection,
    },
    tls: values.secureServing ? tlsOf(values) : undefined,
    metrics: {
      port: values.metricsPort,
      auth: metricsAuth(values, given),
      certificateDirectory: values.metricsCertDir,
      clientCaFile: values.metricsClientCaFile,
      objectiveWindow: values.objectiveWindow,
    },
    verbosity: values.zapLogLevel ?? values.verbosity,
  };
}

function poolOf(
  values: Values,
  namespace: string,
  env: Readonly<Record<string, string | undefined>>,
): PoolSelection {
  if (values.fileSource !== undefined)
    return { kind: "file", file: values.fileSource, namespace, name: values.poolName };
  if (values.poolName !== undefined)
    return { kind: "pool", group: values.poolGroup, namespace, name: values.poolName };
  return {
    kind: "pods",
    namespace,
    name: deploymentName(env.POD_NAME ?? "") ?? "endpoint-picker",
    selector: values.endpointSelector ?? "",
    targetPorts: values.endpointTargetPorts,
  };
}

/** Pods of a Deployment are named `<deployment>-<hash>-<suffix>`. */
const deploymentName = (pod: string): string | undefined => /^(.+)-[^-]+-[^-]+$/.exec(pod)?.[1];

function configOf({ configFile, configText }: Values): EndpointPickerOptions["config"] {
  if (configFile !== undefined) return { file: configFile };
  return configText === undefined ? undefined : { text: configText };
}

const tlsOf = (values: Values): ServingTls => ({
  certificateDirectory: values.certPath,
  clientCaFile: values.clientCaFile,
  reload: values.enableCertReload && values.certPath !== undefined,
  minVersion: tlsVersions.get(values.tlsMinVersion ?? ""),
  ciphers: cipherList(values.tlsCipherSuites),
});

/** On by default only where there is an API server to ask. */
const metricsAuth = (values: Values, given: Given): boolean =>
  given.has("metricsEndpointAuth") || values.fileSource === undefined
    ? values.metricsEndpointAuth
    : false;
