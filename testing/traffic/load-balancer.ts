import {
  type CoreV1Api,
  PatchStrategy,
  setHeaderOptions,
  type V1Service,
} from "@kubernetes/client-node";
import { type CuttableProxy, startCuttableProxy } from "../proxies/cuttable-proxy.ts";
import { claimPodNetwork } from "../stand-ins/pod-addresses.ts";

/** An address for a Service, outside its cluster. */
export interface LoadBalancer {
  readonly address: string;
  /** The way to the cluster is cut: connections break, new ones are refused. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export interface LoadBalancerOptions {
  readonly core: CoreV1Api;
  readonly service: V1Service;
  /** Ports of 127.0.0.1 to which the Service's ports forward. */
  readonly targets: Readonly<Record<number, number>>;
}

/** STAND-IN for the load balancers of a cloud: it writes its address into the Service's status. */
export async function startLoadBalancer({
  core,
  service: { metadata = {} },
  targets,
}: LoadBalancerOptions): Promise<LoadBalancer> {
  const network = await claimPodNetwork();
  const address = network.next(new Set());
  const proxies: CuttableProxy[] = [];
  for (const [port, target] of Object.entries(targets))
    proxies.push(await startCuttableProxy(target, { host: address, port: Number(port) }));
  await core.patchNamespacedServiceStatus(
    {
      name: metadata.name ?? "",
      namespace: metadata.namespace ?? "default",
      body: { status: { loadBalancer: { ingress: [{ ip: address }] } } },
    },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
  const all = (what: (proxy: CuttableProxy) => Promise<void>) => async () => {
    await Promise.all(proxies.map(what));
  };
  return {
    address,
    cut: all((proxy) => proxy.cut()),
    restore: all((proxy) => proxy.restore()),
    async stop() {
      await all((proxy) => proxy.stop())();
      await network.release();
    },
  };
}
