import { hostname } from "node:os";
import { LeaderElection } from "../../../kubernetes/control/leader-election.ts";
import { leaseName } from "../../../sdk/multi-cluster/names.ts";
import { annotation } from "../../../sdk/topology/names.ts";
import { version } from "../../../sdk/version.ts";
import { controllerHealth } from "../../manager/health/controller-health.ts";
import { serveHealth } from "../../manager/health/health-server.ts";
import type { Log } from "../../manager/log.ts";
import { pageServer, reviewsBy } from "../../manager/pages/serve-pages.ts";
import { clustersPage } from "./clusters-page.ts";
import { MultiClusterController } from "./controller.ts";
import type { MultiClusterFlags } from "./flags.ts";
import { readMembersFile } from "./member-list.ts";
import { Membership } from "./membership.ts";
import { RotatingClient } from "./rotating-client.ts";

export interface RunningController {
  readonly ports: { readonly health: number; readonly metrics: number };
  /** Lets another replica lead, and ends. */
  stop(): Promise<void>;
}

/** Puts the controller of a cluster set together and starts it. */
export async function startMultiClusterController(
  flags: MultiClusterFlags,
  log: Log,
): Promise<RunningController> {
  const { controllerName, importIntoExporters, staleAfter, drain, members, membersFile } = flags;
  const hub = flags.leaderElect || flags.metricsAuth ? new RotatingClient(flags.hub) : undefined;
  const election: LeaderElection | undefined =
    flags.leaderElect && hub ? electionOf(hub, flags, log, () => controller) : undefined;
  const controller: MultiClusterController = new MultiClusterController({
    ...{ controllerName, importIntoExporters, staleAfter, drain, log },
    ...(election && { isLeader: () => election.isLeader() }),
  });
  const membership = new Membership({
    controller,
    log,
    limits: flags.limits,
    read: () => {
      hub?.refresh();
      return membersFile === undefined ? members : readMembersFile(membersFile);
    },
  });
  let ending = false;
  const health = await serveHealth({
    port: flags.healthPort,
    rules: controllerHealth,
    isReady: () => controller.settled && !ending,
    log,
  });
  const operators = pageServer({
    pages: {
      families: controller.metrics.families,
      debug: { "/debug/clusters": () => clustersPage(controller, controllerName) },
    },
    reviews: flags.metricsAuth && hub ? reviewsBy(hub) : undefined,
    log,
  });
  const metrics = await operators.listen(flags.metricsPort);
  membership.start();
  if (election === undefined) controller.lead(true);
  else election.start();
  const ports = { health: health.port, metrics };
  log.info("serving", { version, ports });
  return {
    ports,
    async stop() {
      ending = true;
      // Nobody else writes before the last write of this one has ended.
      await controller.stop();
      await Promise.all([election?.release(), membership.stop()]);
      await Promise.all([health.stop(), operators.close()]);
      hub?.close();
      log.info("stopped");
    },
  };
}

function electionOf(
  client: RotatingClient,
  { leaseNamespace, controllerName }: MultiClusterFlags,
  log: Log,
  controller: () => MultiClusterController,
): LeaderElection {
  return new LeaderElection({
    client,
    namespace: leaseNamespace,
    name: leaseName(controllerName),
    identity: `${process.env.POD_NAME ?? hostname()}_${process.pid}`,
    onChange: (leading) => {
      log.info(leading ? "leading" : "not leading");
      controller().lead(leading);
    },
    note: {
      annotation: annotation.memberIdentities,
      read: (text) => controller().remember(text),
      text: () => controller().identities,
    },
    onProblem: (message) => log.error(`leader election: ${message}`),
  });
}
