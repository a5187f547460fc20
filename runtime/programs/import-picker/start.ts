import { version } from "../../../sdk/version.ts";
import { systemClock } from "../../endpoint-picker/clock.ts";
import { ClusterSet } from "../../endpoint-picker/imports/cluster-set.ts";
import { importTelemetry } from "../../endpoint-picker/imports/import-telemetry.ts";
import { openImport } from "../../endpoint-picker/imports/open-import.ts";
import { relayService } from "../../endpoint-picker/imports/relay-service.ts";
import {
  plaintext,
  type RemoteSecurity,
  secured,
} from "../../endpoint-picker/imports/remote-security.ts";
import { readRemoteTls, watchRemoteTls } from "../../endpoint-picker/imports/remote-tls.ts";
import { healthRules, isReady } from "../../endpoint-picker/server/readiness.ts";
import { serveExtProc, serveOperators } from "../../endpoint-picker/server/serve.ts";
import { serveHealth } from "../../manager/health/health-server.ts";
import { statusOf } from "../../manager/health/health-service.ts";
import type { Log } from "../../manager/log.ts";
import { drain, stopServer } from "../../manager/termination.ts";
import type { RunningPicker } from "../endpoint-picker/start.ts";
import type { ImportPickerOptions, RemoteOptions } from "./import-options.ts";

/** Starts a picker whose endpoints are those of an import: the pools of other clusters. */
export async function startImportPicker(
  options: ImportPickerOptions,
  log: Log,
): Promise<RunningPicker> {
  const clock = systemClock;
  const { namespace, name } = options.import;
  const remote = await remoteSecurity(options.remote, namespace, log, () => clusters.renew());
  const clusters = new ClusterSet({
    ...{ policy: options.selection, localCluster: options.import.localCluster, clock, log },
    security: remote.pickers,
    metricsSecurity: options.selection.selection === "metric-based" ? remote.metrics : undefined,
    loopback: options.remote.loopback,
    health: { failures: 2, failBackAfter: options.import.failBackAfter },
  });
  const { source, reviews } = openImport(options.import, log);
  const build = { commit: process.env.BUILD_COMMIT ?? "", version };
  const telemetry = importTelemetry(name, () => clusters.all, build, log);
  const { maxReceiveBytes, requestTimeout, maxStreamAge, maxBufferedBytes } = options.serving;
  const service = relayService({
    destinations: () => clusters.inOrder(),
    importName: `${namespace}/${name}`,
    ...{ maxReceiveBytes, requestTimeout, maxStreamAge, maxKept: maxBufferedBytes },
    ...{ telemetry, clock },
  });

  let draining = false;
  const rules = healthRules(false);
  const ready = () => isReady({ synced: source.synced(), leading: true, draining });
  const onPort = (asked: string) => statusOf(rules, asked, { alive: true, ready: ready() });
  const extProc = await serveExtProc(service, options, onPort, log);
  const { healthPort } = options.serving;
  const health = await serveHealth({ port: healthPort, rules, isReady: ready, log });
  const operators = await serveOperators(
    {
      families: telemetry.families,
      debug: { "/debug/clusters": () => clusters.all.map((cluster) => cluster.describe()) },
    },
    options,
    reviews,
    log,
  );
  source.start((found) => clusters.update(found));
  const ports = { grpc: extProc.port, health: health.port, metrics: operators.port };
  log.info("serving", { version, import: name, namespace, ports });

  return {
    ports,
    drain: (signal) =>
      drain(signal, {
        timeout: options.serving.drainTimeout,
        log,
        running: service.openStreams,
        markNotServing: () => {
          draining = true;
          health.update();
        },
        releaseLease: async () => {},
        stop: async () => {
          await stopServer(extProc.server, options.serving.shutdownTimeout);
          await source.stop();
          clusters.stop();
          remote.stop();
          await Promise.all([health.stop(), operators.server.close()]);
        },
      }),
  };
}

interface RemoteConnections {
  readonly pickers: RemoteSecurity;
  readonly metrics: RemoteSecurity;
  stop(): void;
}

/** @param onChange the files of certificates changed */
async function remoteSecurity(
  options: RemoteOptions,
  namespace: string,
  log: Log,
  onChange: () => void,
): Promise<RemoteConnections> {
  if (options.plaintext) return { pickers: plaintext, metrics: plaintext, stop() {} };
  let files = await readRemoteTls(options.tls);
  const tls = secured(options.tls, () => files, namespace);
  return {
    pickers: tls,
    metrics: options.metricsTls ? tls : plaintext,
    stop: watchRemoteTls({
      options: options.tls,
      current: files,
      onChange(changed) {
        files = changed;
        onChange();
        log.info("certificates for remote pickers reloaded");
      },
      onError: (error) => log.error("certificates for remote pickers not reloaded", error),
    }),
  };
}
