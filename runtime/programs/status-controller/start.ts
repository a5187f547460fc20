import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { statusControllerName } from "../../../sdk/names.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { StatusController } from "./controller.ts";
import type { StatusControllerOptions } from "./program.ts";
import { pageReader } from "./read-page.ts";

/** Creates and starts the status controller. */
export function startStatusController(
  options: StatusControllerOptions,
  log: Log,
): Promise<Running> {
  const {
    namespaces,
    kubeconfig: file,
    pickers,
    recyclesPods,
    operations,
    leaseNamespace,
  } = options;
  const client = newKubernetesClient(loadKubeConfig({ file }));
  const readPage = pageReader(pickers.port, pickers.tokenFile);
  const pickerIntervalMs = pickers.intervalMs;
  const controller = new StatusController({
    ...{ client, namespaces, readPage, pickerIntervalMs, recyclesPods, log },
  });
  const lease = leaseNamespace && { namespace: leaseNamespace, name: statusControllerName };
  return new Manager({ log, operations, client, lease: lease || undefined }).run({
    pages: { families: controller.metrics.families, debug: {} },
    facts: { namespaces: namespaces ?? "all" },
    isReady: () => controller.settled,
    lead: (leading) => controller.lead(leading),
    start() {
      controller.start();
      return {};
    },
    stop: () => controller.stop(),
  });
}
