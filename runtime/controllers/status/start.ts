import { hostname } from "node:os";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { statusControllerName } from "../../../sdk/topology/names.ts";
import { version } from "../../../sdk/version.ts";
import { type KubernetesClient, newKubernetesClient } from "../../kubernetes/client.ts";
import { loadKubeConfig } from "../../kubernetes/kube-config.ts";
import { LeaderElection } from "../../kubernetes/leader-election.ts";
import { healthDefinition, healthService, healthStatus } from "../../process/health-service.ts";
import type { Log } from "../../process/log.ts";
import { processMetrics } from "../../process/metrics/process-metrics.ts";
import { type OperatorServer, operatorServer } from "../../process/operator-server.ts";
import { stopServer } from "../../process/termination.ts";
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
  const readPage = pageReader(pickerPort);
  const controller = new StatusController({ client, namespaces, readPage, pickerInterval, log });
  const election =
    leaseNamespace === undefined
      ? undefined
      : electionOf(client, leaseNamespace, log, (leading) => controller.lead(leading));
  let ending = false;
  const health = await serveHealth(flags.healthPort, () => controller.settled && !ending);
  const operators = operatorServer({
    pages: { families: [...controller.metrics.families, ...processMetrics()], debug: {} },
    access: undefined,
    tls: undefined,
    onError: (error) => log.error("metrics not served", error),
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
      await endServers(health.server, operators);
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

/** The health service in plain text, as probes ask it: `readiness` is for who has read the cluster, all else for who lives. */
async function serveHealth(port: number, isReady: () => boolean) {
  const server = new Server();
  server.addService(
    healthDefinition,
    healthService((service) =>
      service !== "readiness" || isReady() ? healthStatus.serving : healthStatus.notServing,
    ),
  );
  const bind = (host: string) =>
    new Promise<number>((resolve, reject) =>
      server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  return { server, port: await bind("[::]").catch(() => bind("0.0.0.0")) };
}

async function endServers(health: Server, operators: OperatorServer): Promise<void> {
  await Promise.all([stopServer(health), operators.close()]);
}
