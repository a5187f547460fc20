import { randomInt } from "node:crypto";
import type { RequestListener } from "node:http";
import { hostname } from "node:os";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { dataParallelHeader } from "../../../scheduling/requests/routing-headers.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { KubernetesSource } from "../../epp/sources/kubernetes-source.ts";
import type { FlagValues } from "../../manager/flags/command-line.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import {
  type Certificate,
  readCertificate,
  watchCertificate,
} from "../../manager/tls/certificate.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { openTracing, type Tracing, type TracingOptions } from "../../manager/tracing/tracing.ts";
import { type ConnectorPorts, connectors } from "./connectors/index.ts";
import { EngineClient } from "./engine.ts";
import { Refusal, refuse } from "./errors.ts";
import { Exchange } from "./exchange.ts";
import type { flags } from "./flags.ts";
import { LegSpans } from "./leg-spans.ts";
import { Listener } from "./listener.ts";
import { everyTarget, noTarget, ReadyPods } from "./ready-pods.ts";
import { RefusedTransfers } from "./refused-transfers.ts";
import type { Sidecar } from "./sidecar.ts";
import { SidecarMetrics } from "./sidecar-metrics.ts";
import type { Target } from "./targets.ts";
import { WriteTurns } from "./write-turns.ts";

export interface PdSidecarOptions extends FlagValues<typeof flags> {
  /** Undefined if tracing is off. */
  readonly spans: TracingOptions | undefined;
  readonly podIp: string | undefined;
  readonly connectorPorts: ConnectorPorts;
  /** Namespace of the prefillers. */
  readonly namespace: string;
}

/** Starts a sidecar: a listener for each rank of the engine, and watches of the allowed prefillers and encoders. */
export async function startPdSidecar(
  options: PdSidecarOptions,
  log: Log,
): Promise<Running<{ readonly serving: readonly number[] }>> {
  const { serving, tls, operations } = options;
  const allowList = allowListOf(options, log);
  const sources = [allowList?.prefillers, allowList?.encoders].filter((each) => each !== undefined);
  const tracing = await openTracing(options.spans, log);
  const sidecar = sidecarOf(options, allowList, tracing, log);
  const certificate = tls.secure ? await certificateOf(tls.certificateDirectory) : undefined;
  const ranks = Array.from({ length: serving.dataParallelSize }, (_, rank) => ({
    port: serving.port === 0 ? 0 : serving.port + rank,
    decoder: { host: serving.modelServerHost, port: serving.modelServerPort + rank, address: "" },
  }));
  const byAddress = new Map(
    ranks.map(({ port, decoder }) => [`${options.podIp}:${port}`, decoder] as const),
  );
  const listeners = ranks.map(
    ({ decoder }, rank) =>
      new Listener(serverOf(sidecar, decoder, rank === 0 ? byAddress : undefined), {
        certificate,
        requestTimeout: serving.requestTimeoutMs,
      }),
  );
  const unwatch = watchOf(tls.certificateDirectory, certificate, listeners, log);
  const manager = new Manager({
    log,
    operations: { ...operations, metricsAuth: false },
    client: allowList?.client,
    lease: undefined,
  });
  return manager.run({
    pages: { families: sidecar.metrics.families, debug: {} },
    facts: { connector: options.transfer.connector },
    isReady: () => sources.every(({ source }) => source.synced()),
    async start() {
      for (const { source, ready } of sources)
        source.start((objects) => {
          ready.update(objects);
          sidecar.metrics.allowed = allowList?.prefillers.ready.count ?? 0;
        });
      const ports = listeners.map((listener, rank) =>
        listener.listen(ranks[rank]?.port ?? 0, serving.bindAddress),
      );
      return { serving: await Promise.all(ports) };
    },
    async stop() {
      unwatch?.();
      await Promise.all(listeners.map((listener) => listener.stop(serving.shutdownTimeoutMs)));
      for (const engines of [sidecar.encoders, sidecar.prefillers, sidecar.decoders])
        engines.close();
      await Promise.all([...sources.map(({ source }) => source.stop()), tracing?.close()]);
    },
  });
}

/** @param byAddress ranks by address, for requests that select one by header; undefined if the rank is fixed */
function serverOf(
  sidecar: Sidecar,
  decoder: Target,
  byAddress: ReadonlyMap<string, Target> | undefined,
): RequestListener {
  const { metrics, log } = sidecar;
  return (request, response) => {
    const named = byAddress && request.headers[dataParallelHeader];
    const rank = named === undefined ? decoder : byAddress?.get(String(named));
    metrics.running += 1;
    const served =
      rank === undefined
        ? Promise.reject(new Refusal(400, "BadRequestError", `No rank listens on ${named}.`))
        : new Exchange(sidecar, rank, request, response).serve();
    served
      .catch((error: unknown) => {
        if (error instanceof Refusal) return refuse(response, error);
        log.error("request failed", error);
        refuse(response, new Refusal(500, "InternalServerError", "The sidecar failed."));
      })
      .finally(() => {
        metrics.running -= 1;
      });
  };
}

function sidecarOf(
  { transfer, serving, tls, podIp, connectorPorts }: PdSidecarOptions,
  allowList: AllowList | undefined,
  tracing: Tracing | undefined,
  log: Log,
): Sidecar {
  const engines = (name: "prefiller" | "decoder" | "encoder") =>
    new EngineClient({
      tls: tls.engines.includes(name),
      insecureSkipVerify: tls.unverified.includes(name),
      maxIdle: transfer.maxIdleConnections,
      connectTimeoutMs: transfer.connectTimeoutMs,
    });
  return {
    ...transfer,
    connector: connectors[transfer.connector](connectorPorts),
    prefillers: engines("prefiller"),
    decoders: engines("decoder"),
    encoders: engines("encoder"),
    allowed: allowList?.prefillers.ready ?? everyTarget,
    allowedEncoders:
      allowList === undefined ? everyTarget : (allowList.encoders?.ready ?? noTarget),
    choosePrefiller: (addresses) =>
      addresses[
        transfer.samplesPrefiller && addresses.length > 1 ? randomInt(addresses.length) : 0
      ],
    budget: new BodyBudget({ maxBody: serving.maxBodyBytes, now: () => performance.now() }),
    turns: new WriteTurns(),
    refusedTransfers: new RefusedTransfers(log, () => performance.now()),
    podIp,
    metrics: new SidecarMetrics(),
    spansOf:
      tracing &&
      ((request, api) =>
        new LegSpans(tracing, request, {
          connector: transfer.connector,
          api,
          path: request.url ?? "",
        })),
    log,
  };
}

/** Pods of one role that the sidecar may connect to, and the source that watches them. */
interface AllowedPods {
  readonly source: KubernetesSource;
  readonly ready: ReadyPods;
}

interface AllowList {
  readonly client: KubernetesClient;
  readonly prefillers: AllowedPods;
  /** Undefined if no encoder is allowed. */
  readonly encoders: AllowedPods | undefined;
}

/** Returns undefined if every target is allowed. */
function allowListOf(
  { allowList, serving, namespace }: PdSidecarOptions,
  log: Log,
): AllowList | undefined {
  const { isOn, selector, ports, encoderSelector, encoderPorts, kubeconfig } = allowList;
  if (!isOn || selector === undefined) return undefined;
  const { port, dataParallelSize } = serving;
  const targetPorts =
    ports.length > 0 ? ports : Array.from({ length: dataParallelSize }, (_, rank) => port + rank);
  const client = newKubernetesClient(loadKubeConfig({ file: kubeconfig }));
  const podsOf = (labels: string, podPorts: readonly number[]): AllowedPods => ({
    source: new KubernetesSource({
      ...{ client, namespace },
      pool: { matchLabels: labelsOf(labels), targetPorts: podPorts },
      onProblem: (key, message) => log.error(`${key}: ${message}`),
    }),
    ready: new ReadyPods(podPorts),
  });
  return {
    client,
    prefillers: podsOf(selector, targetPorts),
    encoders:
      encoderSelector === undefined
        ? undefined
        : podsOf(encoderSelector, encoderPorts.length > 0 ? encoderPorts : targetPorts),
  };
}

/** Parses labels such as `a=b,c=d`. */
const labelsOf = (selector: string): Record<string, string> =>
  Object.fromEntries(
    selector
      .split(",")
      .map((part) => part.split("=").map((word) => word.trim()) as [string, string]),
  );

const certificateOf = async (directory: string | undefined): Promise<Certificate> =>
  directory === undefined
    ? selfSignedCertificate(hostname(), new Date())
    : await readCertificate(directory);

function watchOf(
  directory: string | undefined,
  current: Certificate | undefined,
  listeners: readonly Listener[],
  log: Log,
): (() => void) | undefined {
  if (directory === undefined || current === undefined) return undefined;
  return watchCertificate({
    directory,
    current,
    onChange: (changed) => {
      for (const listener of listeners) listener.use(changed);
      log.info("certificate reloaded", { directory });
    },
    onError: (error) => log.error("certificate not reloaded", error),
  });
}
