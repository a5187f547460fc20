import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { buildScheduler, flowControlSettings } from "../../../scheduling/build.ts";
import type { PickerConfig } from "../../../scheduling/config/picker-config.ts";
import { loadPickerConfig } from "../../../scheduling/config/read.ts";
import { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import type { MetricsSourceParameters } from "../../../scheduling/plugins/producers/metrics-data-source.ts";
import {
  kvEventSource,
  ranksBehindPort,
} from "../../../scheduling/plugins/producers/precise-prefix-cache-producer.ts";
import { endpointPickerConfig } from "../../../sdk/plan/picker/endpoint-picker-config.ts";
import type { PoolSource } from "../../epp/datastore/pool-objects.ts";
import { FileSource } from "../../epp/sources/file-source.ts";
import {
  KubernetesSource,
  type KubernetesSourceOptions,
} from "../../epp/sources/kubernetes-source.ts";
import { PickerReplicas } from "../../epp/sources/picker-replicas.ts";
import type { LeaseOptions } from "../../manager/manager.ts";
import type { KvEventInputs } from "./kv-events.ts";
import type { EndpointPickerOptions, PoolSelection } from "./options.ts";
import type { Parts } from "./start.ts";

/** The parts of a running picker: its configuration, and the API server or file with its pool. */
export const parts: Parts = {
  async configure(options, log, observer, replicas) {
    const { config, warnings } = await readConfig(options);
    for (const warning of warnings) log.warn(warning);
    const { metrics } = config;
    const kvEvents = kvEventsOf(config);
    const { staleAfterMs } = options.scheduling;
    const settings = flowControlSettings(config, { observer });
    return {
      scheduler: buildScheduler(config, {
        ...{ staleAfterMs, observer, replicas },
        kvIndex: kvEvents?.index,
      }),
      kvEvents,
      flowControl: settings && { settings, detectorType: config.detector.type },
      scraping: metrics && { ...metrics.engines, ...scrapingOf(metrics.source) },
    };
  },

  async connect(options, log) {
    const { pool } = options;
    const onProblem = (key: string, message: string) => log.error(`${key}: ${message}`);
    if (pool.kind === "file") {
      const source = new FileSource({ file: pool.file, poolName: pool.name, onProblem });
      return { source, client: undefined, lease: undefined };
    }
    const client = newKubernetesClient(loadKubeConfig());
    const { namespace } = pool;
    const { ownPod } = options;
    return {
      source: kubernetesSource(client, pool, onProblem),
      client,
      lease: options.serving.leaderElection ? leaseOf(pool) : undefined,
      ...(ownPod !== undefined && {
        replicas: (onCount) =>
          new PickerReplicas({
            ...{ client, namespace, ownPod, onCount },
            onProblem: (message) => onProblem(`replicas of pod ${ownPod}`, message),
          }),
      }),
    };
  },
};

/** Without a configuration, the picker uses the configuration of a pool without a strategy. */
async function readConfig({ config }: EndpointPickerOptions) {
  if (config === undefined) {
    const text = JSON.stringify(endpointPickerConfig("prefix-cache"));
    return loadPickerConfig(text, "the configuration of strategy prefix-cache");
  }
  if ("text" in config) return configOfText(config.text);
  return loadPickerConfig(await readFile(config.file, "utf8"), config.file);
}

/** Number of texts whose configurations are cached. */
const keptTexts = 16;

const configsOfTexts = new Map<string, ReturnType<typeof loadPickerConfig>>();

/**
 * Caches configurations by their text: many pools of a process have the same one, and parsing it takes milliseconds.
 */
function configOfText(text: string) {
  const known = configsOfTexts.get(text) ?? loadPickerConfig(text, "--config-text");
  configsOfTexts.delete(text);
  configsOfTexts.set(text, known);
  const [oldest] = configsOfTexts.keys();
  if (configsOfTexts.size > keptTexts && oldest !== undefined) configsOfTexts.delete(oldest);
  return known;
}

/** Returns the settings of the precise prefix cache; undefined without one. */
function kvEventsOf({ prefixCaches, tokens, metrics }: PickerConfig): KvEventInputs | undefined {
  const precise = [...prefixCaches.values()].find((cache) => cache.kind === "precise");
  if (precise === undefined) return undefined;
  const source = kvEventSource(precise.parameters);
  const { scheme = "http", tls } = metrics === undefined ? {} : scrapingOf(metrics.source);
  const index = new KvIndex({
    seed: randomInt(2 ** 47),
    replays: source?.replayPort !== undefined,
    ranks: ranksBehindPort(precise.parameters),
  });
  return { ...{ index, source, tokens, tls }, scheme: scheme === "https" ? "https" : "http" };
}

function scrapingOf(source: MetricsSourceParameters) {
  const { scheme, path, port, insecureSkipVerify } = source;
  const file = (name: string) => (name === "" ? undefined : readFileSync(name));
  const tls = {
    rejectUnauthorized: !insecureSkipVerify,
    ca: file(source.caCertPath),
    cert: file(source.clientCertPath),
    key: file(source.clientKeyPath),
  };
  return { scheme, path, port, tls };
}

type ClusterPool = Exclude<PoolSelection, { kind: "file" }>;

function kubernetesSource(
  client: KubernetesClient,
  pool: ClusterPool,
  onProblem: KubernetesSourceOptions["onProblem"],
): PoolSource {
  const selection =
    pool.kind === "pool"
      ? { name: pool.name, group: pool.group }
      : { matchLabels: labelsOf(pool.selector), targetPorts: pool.targetPorts };
  return new KubernetesSource({ client, namespace: pool.namespace, pool: selection, onProblem });
}

/** Parses `a=b,c=d` as labels. */
const labelsOf = (selector: string): Record<string, string> =>
  Object.fromEntries(
    selector
      .split(",")
      .filter((part) => part.trim() !== "")
      .map((part) => part.split("=").map((word) => word.trim()) as [string, string]),
  );

/** The Lease of the upstream picker. */
const leaseOf = ({ namespace, name }: ClusterPool): LeaseOptions => ({
  namespace,
  name: `epp-${namespace}-${name}.llm-d.ai`,
});
