import { type ApiClient, connect } from "../api/api-client.ts";
import type { ClusterAddress } from "../api/cluster.ts";
import { startDeploymentController } from "./deployment.ts";
import { startEndpointSliceController } from "./endpoint-slices.ts";
import { startGarbageCollector } from "./garbage-collector.ts";
import { type ReadinessScript, startKubelet } from "./kubelet.ts";
import { startLwsController } from "./leader-worker-set.ts";
import { type AdmitGang, type GpuNode, startScheduler } from "./scheduler.ts";

export type { ReadinessScript } from "./kubelet.ts";
export type { AdmitGang, GpuNode } from "./scheduler.ts";

export interface StandInsOptions {
  /** Namespace that they work in. Default: all. */
  namespace?: string;
  /**
   * Whether to collect garbage, in all namespaces. Default true without `namespace`, else false: the shared test
   * cluster has a collector of its own.
   */
  garbageCollector?: boolean;
  /** When pods become ready. Default: one tick after they run, one pod a tick. */
  readiness?: ReadinessScript;
  /** Milliseconds between ticks; 0 when only `tick()` counts. Default 100. */
  tickMs?: number;
  /** GPU nodes. Default: unlimited capacity. */
  nodes?: readonly GpuNode[];
  /** Which pods of a gang start. Default: all of it or nothing. */
  admit?: AdmitGang;
  /** Receives each error as it first happens; they are kept in `errors` too. */
  onError?: (error: Error) => void;
}

export interface StandIns {
  /** Errors so far, including each refused LeaderWorkerSet with the reason. */
  errors: readonly Error[];
  /** One step of time: at most one more pod becomes ready. */
  tick(): Promise<void>;
  /** Ends them; what they made stays. Start new ones and they go on from there. */
  stop(): Promise<void>;
}

/**
 * STAND-INS for the controllers that a bare API server lacks: schedulers, kubelets, the LeaderWorkerSet controller, and
 * from kube-controller-manager the controllers for Deployments, EndpointSlices and garbage. No container runs.
 */
export async function startStandIns(
  cluster: ClusterAddress,
  options: StandInsOptions = {},
): Promise<StandIns> {
  const { namespace, garbageCollector = namespace === undefined, nodes, admit } = options;
  const client: ApiClient = connect(cluster);
  const errors: Error[] = [];
  const onError = (thrown: unknown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    // A failing operation is retried, but its error is reported once.
    if (errors.some(({ message }) => message === error.message)) return;
    errors.push(error);
    options.onError?.(error);
  };
  const scope = { ...(namespace !== undefined && { namespace }), onError };

  const kubelet = await startKubelet(client, {
    ...scope,
    ...(options.readiness && { readiness: options.readiness }),
    ...(options.tickMs !== undefined && { tickMs: options.tickMs }),
  });
  const standIns = [
    kubelet,
    await startScheduler(client, { ...scope, ...(nodes && { nodes }), ...(admit && { admit }) }),
    await startLwsController(client, scope),
    await startDeploymentController(client, scope),
    await startEndpointSliceController(client, scope),
    ...(garbageCollector ? [await startGarbageCollector(client, scope)] : []),
  ];
  return {
    errors,
    tick: () => kubelet.tick(),
    async stop() {
      await Promise.all(standIns.map((standIn) => standIn.stop()));
      client.close();
    },
  };
}
