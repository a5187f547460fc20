import { type CuttableProxy, startCuttableProxy } from "../proxies/cuttable-proxy.ts";
import type { PodPrograms } from "../stand-ins/kubelet.ts";
import type { EnginesLocation } from "./engine-pods.ts";
import { isPickerPod, startPickersOf } from "./picker-of-pod.ts";
import type { PickerProcess } from "./picker-process.ts";

/** Pickers at the addresses of their pods, with their planned arguments, permissions and TLS. */
export interface AddressedPickerPods extends PodPrograms {
  /** Pickers that run, by the name of their ServiceAccount. */
  readonly pickers: ReadonlyMap<string, PickerProcess>;
  stop(): Promise<void>;
}

interface Running {
  readonly picker: PickerProcess;
  readonly proxies: readonly CuttableProxy[];
}

/**
 * A picker listens on all addresses of a machine, so each picker gets other ports, and proxies at its pod's address
 * forward to them.
 */
export function addressedPickerPods(location: EnginesLocation): AddressedPickerPods {
  const start = startPickersOf(location);
  const running = new Map<string, Running>();
  const pickers = new Map<string, PickerProcess>();
  const end = async ({ picker, proxies }: Running) => {
    await picker.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  };
  return {
    pickers,
    async start(pod, address) {
      if (!isPickerPod(pod)) return;
      const picker = await start(pod);
      const ports = { 9002: picker.ports.grpc, 9003: picker.ports.health };
      const proxies: CuttableProxy[] = [];
      for (const [port, target] of Object.entries(ports))
        proxies.push(await startCuttableProxy(target, { host: address, port: Number(port) }));
      running.set(pod.metadata.uid, { picker, proxies });
      pickers.set(String(pod.spec.serviceAccountName), picker);
    },
    async end({ metadata: { uid } }) {
      const ending = running.get(uid);
      running.delete(uid);
      if (ending !== undefined) await end(ending);
    },
    async stop() {
      await Promise.all([...running.values()].map(end));
    },
  };
}
