import { hostname } from "node:os";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/kubeconfig.ts";
import { LeaderElection } from "../../../kubernetes/control/leader-election.ts";
import { statusControllerName } from "../../../sdk/topology/names.ts";
import { version } from "../../../sdk/version.ts";
import { controllerHealth } from "../../manager/health/controller-health.ts";
import { serveHealth } from "../../manager/health/health-server.ts";
import type { Log } from "../../manager/log.ts";
import { pageServer, reviewsBy } from "../../manager/pages/serve-pages.ts";
import { StatusController } from "./controller.ts";
import type { StatusControllerFlags } from "./flags.ts";
import { pageReader } from "./read-page.ts";

export interface RunningController {
  readonly ports: { readonly health: number; readonly metrics: number };
  /** Lets another replica lead, and ends. */
  stop(): Promise<void>;
}

/** Puts the status controller together and starts it. */
export async function startStatusController(
  flags: StatusControllerFlags,
  log: Log,
): Promise<RunningController> {
  const { namespaces, pickerInterval, pickerPort, leaseNamespace } = flags;
  const client = newKubernetesClient(
    loadKubeConfig(flags.kubeconfig === undefined ? {} : { file: flags.kubeconfig }),
  );
  const readPage = pageReader(pickerPort, flags.pickerTokenFile);
  const controller = new StatusController({ client, namespaces, readPage, pickerInterval, log });
  const election =
    leaseNamespace === undefined
      ? undefined
      : electionOf(client, leaseNamespace, log, (leading) => controller.lead(leading));
  let ending = false;
  const health = await serveHealth({
    port: flags.healthPort,
    rules: controllerHealth,
    isReady: () => controller.settled && !ending,
    log,
  });
  const operators = pageServer({
    pages: { families: controller.metrics.families, debug: {} },
    reviews: flags.metricsAuth ? reviewsBy(client) : undefined,
    log,
  });
  const metrics = await operators.listen(flags.metricsPort);
  controller.start();
  if (election === undefined) controller.lead(true);
  else election.start();
  const ports = { health: health.port, metrics };
  log.info("serving", { version, ports, namespaces: namespaces ?? "all" });
  return {
    ports,
    async stop() {
      ending = true;
      // Nobody else writes before the last write of this one has ended.
      await controller.stop();
      await election?.release();
      await Promise.all([health.stop(), operators.close()]);
      client.close();
      log.info("stopped");
    },
  };
}

function electionOf(
  client: KubernetesClient,
  namespace: string,
  log: Log,
  onChange: (leading: boolean) => void,
): LeaderElection {
  return new LeaderElection({
    client,
    namespace,
    name: statusControllerName,
    identity: `${process.env.POD_NAME ?? hostname()}_${process.pid}`,
    onChange: (leading) => {
      log.info(leading ? "leading" : "not leading");
      onChange(leading);
    },
    onProblem: (message) => log.error(`leader election: ${message}`),
  });
}
