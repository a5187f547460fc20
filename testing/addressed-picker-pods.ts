import { join } from "node:path";
import { CoreV1Api, KubeConfig, type V1PodSpec } from "@kubernetes/client-node";
import { accountKubeconfig } from "./account-kubeconfig.ts";
import { type CuttableProxy, startCuttableProxy } from "./cuttable-proxy.ts";
import type { EnginesLocation } from "./engine-pods.ts";
import { argumentsWithFiles } from "./mounted-files.ts";
import { type PickerProcess, startPicker } from "./picker-process.ts";
import type { PodPrograms } from "./stand-ins/kubelet.ts";

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

/** A picker listens on all addresses of a machine, so each one has other ports, to which those of its pod lead. */
export function addressedPickerPods({ kubeconfig, folder }: EnginesLocation): AddressedPickerPods {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const running = new Map<string, Running>();
  const pickers = new Map<string, PickerProcess>();
  const end = async ({ picker, proxies }: Running) => {
    await picker.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  };
  return {
    pickers,
    async start(pod, address) {
      if (pod.spec.containers[0]?.name !== "epp") return;
      const { name, namespace = "", uid } = pod.metadata;
      const spec = pod.spec as unknown as V1PodSpec;
      const place = { kubeconfig, namespace, folder: join(folder, name) };
      const args = await argumentsWithFiles(core, namespace, place.folder, spec);
      const account = spec.serviceAccountName ?? "default";
      const picker = await startPicker({
        args: [...args, "--metrics-endpoint-auth=false"],
        env: {
          KUBECONFIG: await accountKubeconfig(place, account),
          NAMESPACE: namespace,
          POD_NAME: name,
        },
      });
      const ports = { 9002: picker.ports.grpc, 9003: picker.ports.health };
      const proxies: CuttableProxy[] = [];
      for (const [port, target] of Object.entries(ports))
        proxies.push(await startCuttableProxy(target, { host: address, port: Number(port) }));
      running.set(uid, { picker, proxies });
      pickers.set(account, picker);
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
