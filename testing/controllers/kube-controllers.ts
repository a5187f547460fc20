import type { ClusterAddress } from "../api/cluster.ts";
import { findPrograms } from "../processes/binaries.ts";
import { startServer } from "../processes/server-process.ts";
import type { Stoppable } from "../processes/stop-all.ts";
import { startWatchdog } from "../processes/watchdog.ts";

/** Arguments of kube-controller-manager with some of its controllers. */
export const kubeControllerArgs = (kubeconfig: string, controllers: readonly string[]) => [
  `--kubeconfig=${kubeconfig}`,
  `--controllers=${controllers.join(",")}`,
  // The default is 15 s. A trace that is compressed needs a shorter period.
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--leader-elect=false",
  "--secure-port=0",
  "--concurrent-gc-syncs=5",
  "--kube-api-qps=500",
  "--kube-api-burst=1000",
];

/** Starts some of the real controllers of kube-controller-manager, and nothing else. They end with this process. */
export async function startKubeControllers(
  { kubeconfig }: Pick<ClusterAddress, "kubeconfig">,
  controllers: readonly string[],
): Promise<Stoppable> {
  const name = "kube-controller-manager";
  const { [name]: file } = await findPrograms([name]);
  const watchdog = startWatchdog();
  const server = startServer(name, file, kubeControllerArgs(kubeconfig, controllers), watchdog);
  return {
    async stop() {
      await server.stop();
      await watchdog.release();
    },
  };
}
