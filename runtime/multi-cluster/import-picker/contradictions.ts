import { type PoolOptions, poolFlags } from "../../epp/flags/pool.ts";
import { type ServingOptions, servingFlags } from "../../epp/flags/serving.ts";
import type { Flag, GivenFlags } from "../../manager/flags/command-line.ts";
import {
  type ImportOptions,
  type ParentOptions,
  type RemoteOptions,
  remoteFlags,
} from "./flags.ts";

const { caFile, certificateDirectory, serverName, metricsTls, insecure } = remoteFlags.flags;

/** Flag values that matter to a picker of an import. */
interface Values {
  readonly pool: PoolOptions;
  readonly import: ImportOptions;
  readonly remote: RemoteOptions;
  readonly parent: ParentOptions;
  readonly serving: ServingOptions;
  readonly scheduling: {
    readonly configFile: string | undefined;
    readonly configText: string | undefined;
  };
}

/** TLS flags, which have no effect with plaintext. */
const tlsFlags: readonly Flag<unknown>[] = [
  ...[caFile, certificateDirectory, serverName],
  ...[metricsTls, insecure],
];

/** Returns the errors in the flags of a picker of an import. */
export function importContradictions(values: Values, given: GivenFlags): readonly string[] {
  const { pool, remote, serving } = values;
  if (values.import.name === undefined) return [];
  const others: ReadonlyArray<readonly [given: boolean, flag: string]> = [
    [pool.name !== undefined, poolFlags.flags.name.name],
    [pool.selector !== undefined, poolFlags.flags.selector.name],
    [serving.leaderElection, servingFlags.flags.leaderElection.name],
  ];
  const { parent } = values;
  const tls = remote.plaintext ? tlsFlags.filter((flag) => given.has(flag)) : [];
  return [
    ...others
      .filter(([isGiven]) => isGiven)
      .map(
        ([, flag]) => `--${flag}: is for a pool of this cluster; leave out this flag or --import`,
      ),
    ...parentContradictions(parent),
    ...tls.map(({ name }) => `--${name}: is for TLS; leave out this flag or --remote-plaintext`),
    ...(remote.insecure && remote.caFile !== undefined
      ? ["--remote-ca-file: has no effect; leave out this flag or --remote-insecure"]
      : []),
  ];
}

/** Returns the errors in the flags for gateways of other clusters. */
export const parentContradictions = (parent: ParentOptions): string[] => [
  ...(parent.caFile !== undefined && parent.serverName === undefined
    ? ["--parent-ca-file: has no effect alone; give --parent-server-name as well"]
    : []),
  ...(parent.probeHost !== undefined && parent.probePath === undefined
    ? ["--parent-probe-host: has no effect alone; give --parent-probe-path as well"]
    : []),
  ...(parent.probePath !== undefined && !parent.probePath.startsWith("/")
    ? [
        `--parent-probe-path: ${JSON.stringify(parent.probePath)} was given; give a path that begins with /`,
      ]
    : []),
];

/** Returns warnings for flags of an import's picker that have no effect or are dangerous. */
export function importWarnings({ import: { name }, scheduling, remote }: Values): string[] {
  if (name === undefined) return [];
  const warnings: ReadonlyArray<readonly [warns: boolean, warning: string]> = [
    [
      scheduling.configFile !== undefined || scheduling.configText !== undefined,
      "--config-file and --config-text have no effect: the pickers of other clusters schedule",
    ],
    [
      remote.insecure,
      "--remote-insecure: pickers of other clusters are NOT verified; an attacker on the network can read, change and redirect prompts",
    ],
    [
      remote.allowLoopback,
      "--remote-allow-loopback: other clusters can direct requests to this host; use it only for clusters on one machine",
    ],
    [
      remote.plaintext,
      "--remote-plaintext: prompts are sent to pickers of other clusters NOT encrypted, unless the network encrypts them",
    ],
  ];
  return warnings.filter(([warns]) => warns).map(([, warning]) => warning);
}
