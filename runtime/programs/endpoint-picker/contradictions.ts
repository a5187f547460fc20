import { pageFlags } from "../../epp/flags/pages.ts";
import type { GivenFlags } from "../../manager/flags/command-line.ts";
import {
  importContradictions,
  importWarnings,
} from "../../multi-cluster/import-picker/contradictions.ts";
import type { Values } from "./flags/index.ts";
import { acceptedFlags } from "./flags/without-effect.ts";
import { minRefreshMetricsIntervalMs, readersAreReviewed } from "./options.ts";

const minObjectiveWindowMs = 1_000;

/** Returns the problems of combined flags. */
export function contradictions(values: Values, given: GivenFlags): readonly string[] {
  const { pool, scheduling, serving, tls, pages } = values;
  const problems: ReadonlyArray<readonly [wrong: boolean, problem: string]> = [
    [
      pool.name === undefined &&
        pool.selector === undefined &&
        pool.file === undefined &&
        pool.service === undefined &&
        values.import.name === undefined,
      "no pool: give --pool-name, --picker-service, --endpoint-selector, --import or --file-source",
    ],
    [
      pool.service !== undefined &&
        [pool.name, pool.selector, pool.file, values.import.name].some(
          (other) => other !== undefined,
        ),
      "--picker-service: serves every pool that refers to it; leave out --pool-name, --endpoint-selector, --import and --file-source",
    ],
    [
      pool.service !== undefined &&
        [scheduling.configFile, scheduling.configText, scheduling.tenantHeader].some(
          (own) => own !== undefined,
        ),
      "--picker-service: each pool has its own configuration, in annotations of the InferencePool; leave out --config-file, --config-text and --tenant-header",
    ],
    [
      pool.service !== undefined && serving.leaderElection,
      "--ha-enable-leader-election: is for one pool; leave out this flag or --picker-service",
    ],
    [
      pool.selector !== undefined && (pool.name !== undefined || pool.file !== undefined),
      "--endpoint-selector: replaces a pool; leave out --pool-name and --file-source",
    ],
    [
      pool.selector !== undefined && (pool.targetPorts.length < 1 || pool.targetPorts.length > 8),
      `--endpoint-target-ports: ${pool.targetPorts.length} ports; with --endpoint-selector give 1 to 8`,
    ],
    [
      scheduling.configFile !== undefined && scheduling.configText !== undefined,
      "--config-file and --config-text: give only one of them",
    ],
    [
      tls.clientCaFile !== undefined && !tls.secure,
      "--client-ca-file: client certificates need TLS; leave out this flag or --secure-serving=false",
    ],
    [
      pages.clientCaFile !== undefined && pages.certificateDirectory === undefined,
      "--metrics-client-ca-file: client certificates need TLS; give --metrics-cert-dir too",
    ],
    [
      pages.certificateDirectory !== undefined &&
        pages.clientCaFile === undefined &&
        !readersAreReviewed(values, given),
      "--metrics-cert-dir: TLS does not authenticate the reader; give --metrics-client-ca-file or --metrics-endpoint-auth",
    ],
    [
      pool.file !== undefined && given.has(pageFlags.flags.auth) && pages.auth,
      "--metrics-endpoint-auth: needs the API server, but --file-source uses none; leave out one of them",
    ],
    [
      pages.objectiveWindowMs < minObjectiveWindowMs,
      "--objective-window: too short for a P95; give 1s or more",
    ],
    [
      pool.file !== undefined && serving.leaderElection,
      "--ha-enable-leader-election: needs the API server, but --file-source uses none; leave out one of them",
    ],
  ];
  return [
    ...problems.filter(([wrong]) => wrong).map(([, problem]) => problem),
    ...importContradictions(values, given),
  ];
}

/** Returns warnings about flags without effect and about insecure ones. */
export function warnings(values: Values, given: GivenFlags): readonly string[] {
  const { accepted, scheduling, tls } = values;
  const keys = Object.keys(acceptedFlags.flags) as Array<keyof typeof accepted>;
  const ineffective = keys.flatMap((key) => {
    const flag: { name: string; summary: string; default?: unknown } = acceptedFlags.flags[key];
    const changed = given.has(acceptedFlags.flags[key]) && accepted[key] !== flag.default;
    return changed ? [`--${flag.name} has no effect: ${flag.summary}`] : [];
  });
  return [
    ...ineffective,
    ...(scheduling.refreshMetricsIntervalMs < minRefreshMetricsIntervalMs
      ? ["--refresh-metrics-interval is below 50ms: 50ms is used"]
      : []),
    ...(tls.reload && tls.certificateDirectory === undefined
      ? ["--enable-cert-reload has no effect: without --cert-path there is nothing to reload"]
      : []),
    ...importWarnings(values),
  ];
}
