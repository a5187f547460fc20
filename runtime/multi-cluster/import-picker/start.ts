import { version } from "../../../sdk/version.ts";
import { systemClock } from "../../epp/clock.ts";
import { maxReceiveBytes } from "../../epp/flags/serving.ts";
import { type Listening, serveExtProc } from "../../epp/serve.ts";
import { pickerHealth } from "../../epp/server/picker-health.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { ClusterSet } from "../imports/cluster-set.ts";
import { importTelemetry } from "../imports/import-telemetry.ts";
import { openImport } from "../imports/open-import.ts";
import { relayService } from "../imports/relay-service.ts";
import { plaintext, type RemoteSecurity } from "../imports/remote-security.ts";
import { gatewayProbes } from "./gateway-probes.ts";
import type { ImportPickerOptions } from "./options.ts";
import { watchedTls } from "./watched-tls.ts";

/** Starts a picker whose endpoints are the pools of other clusters, from an import. */
export async function startImportPicker(
  options: ImportPickerOptions,
  log: Log,
): Promise<Running<{ readonly grpc: number }>> {
  const clock = systemClock;
  const { serving, operations, pageTls, location } = options;
  const { namespace, name } = location;
  const remote = await remoteConnections(options, log, () => clusters.renew());
  const { localCluster, hopLimit, failbackDelayMs } = options.import;
  const probes = await gatewayProbes(options.parent, namespace, hopLimit, log, () =>
    clusters.renew(),
  );
  const clusters = new ClusterSet({
    ...{ policy: options.import, localCluster, hopLimit, clock, log },
    security: remote.pickers,
    gateways: probes.probes,
    metricsSecurity: remote.metrics,
    loopback: options.remote.allowLoopback,
    health: { failures: 2, failbackDelayMs: failbackDelayMs },
  });
  const { source, client } = openImport(location, log);
  const build = { commit: process.env.BUILD_COMMIT ?? "", version };
  const telemetry = importTelemetry(name, () => clusters.all, build, log);
  const service = relayService({
    destinations: (hops) => clusters.inOrder(hops),
    importName: `${namespace}/${name}`,
    maxReceiveBytes: maxReceiveBytes(serving),
    requestTimeoutMs: serving.requestTimeoutMs,
    maxStreamAgeMs: serving.maxStreamAgeMs,
    maxTotalKeptBytes: serving.maxBufferedBytes,
    ...{ telemetry, clock },
  });
  const healthRules = pickerHealth(false);
  const manager = new Manager({ log, operations, pageTls, client, lease: undefined, healthRules });
  let extProc: Listening | undefined;
  return manager.run({
    pages: {
      families: telemetry.families,
      debug: { "/debug/clusters": () => clusters.all.map((cluster) => cluster.describe()) },
    },
    facts: { import: name, namespace },
    isReady: () => source.synced(),
    async start() {
      extProc = await serveExtProc(service, options, healthRules, () => manager.isReady(), log);
      source.start((found) => clusters.update(found));
      return { grpc: extProc.port };
    },
    drain: { windowMs: serving.drainTimeoutMs, running: service.openStreams },
    async stop() {
      await extProc?.server.stop(serving.shutdownTimeoutMs);
      await source.stop();
      clusters.stop();
      remote.stop();
      probes.stop();
    },
  });
}

interface RemoteConnections {
  readonly pickers: RemoteSecurity;
  readonly metrics: RemoteSecurity;
  stop(): void;
}

/** @param onChange called when the certificate files change */
async function remoteConnections(
  { remote, location: { namespace } }: ImportPickerOptions,
  log: Log,
  onChange: () => void,
): Promise<RemoteConnections> {
  if (remote.plaintext) return { pickers: plaintext, metrics: plaintext, stop() {} };
  const { security, stop } = await watchedTls(remote, namespace, log, onChange);
  return { pickers: security, metrics: remote.metricsTls ? security : plaintext, stop };
}
