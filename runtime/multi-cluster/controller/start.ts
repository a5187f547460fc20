import { annotation } from "../../../sdk/names.ts";
import { leaseName } from "../../../sdk/topology/multi-cluster-names.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { clustersPage } from "./clusters-page.ts";
import { MultiClusterController } from "./controller.ts";
import { readMembersFile } from "./member-list.ts";
import { Membership } from "./membership.ts";
import type { MultiClusterOptions } from "./program.ts";
import { RotatingClient } from "./rotating-client.ts";

/** Assembles and starts the controller of a cluster set. */
export function startMultiClusterController(
  options: MultiClusterOptions,
  log: Log,
): Promise<Running> {
  const { controllerName, importIntoExporters, members, membersFile, leaseNamespace } = options;
  const { limits, operations, staleAfterMs, drainMs } = options;
  const needsHub = leaseNamespace !== undefined || operations.metricsAuth;
  const hub = needsHub ? new RotatingClient(options.hub) : undefined;
  const lease =
    leaseNamespace === undefined
      ? undefined
      : { namespace: leaseNamespace, name: leaseName(controllerName) };
  const manager = new Manager({ log, operations, client: hub, lease });
  const controller = new MultiClusterController({
    ...{ controllerName, importIntoExporters, staleAfterMs, drainMs, log },
    isLeader: () => manager.isLeader(),
  });
  const membership = new Membership({
    ...{ controller, log, limits },
    read: () => {
      hub?.refresh();
      return membersFile === undefined ? members : readMembersFile(membersFile);
    },
  });
  return manager.run({
    pages: {
      families: controller.metrics.families,
      debug: { "/debug/clusters": () => clustersPage(controller, controllerName) },
    },
    isReady: () => controller.settled,
    lead: (leading) => controller.lead(leading),
    leaseNote: {
      annotation: annotation.memberIdentities,
      read: (text) => controller.remember(text),
      text: () => controller.identities,
    },
    start() {
      membership.start();
      return {};
    },
    async stop() {
      await controller.stop();
      await membership.stop();
    },
  });
}
