import { join } from "node:path";
import { CoreV1Api, KubeConfig, type V1PodSpec } from "@kubernetes/client-node";
import { accountKubeconfig } from "../api/account-kubeconfig.ts";
import type { Pod } from "../stand-ins/objects.ts";
import type { EnginesLocation } from "./engine-pods.ts";
import { argumentsWithFiles } from "./mounted-files.ts";
import { type PickerProcess, startPicker } from "./picker-process.ts";

export const isPickerPod = ({ spec }: Pod): boolean => spec.containers[0]?.name === "epp";

/**
 * Returns a function that starts the picker of a pod in a process, with the pod's arguments, mounted files and permissions,
 * and with further arguments.
 */
export function startPickersOf({
  kubeconfig,
  folder,
}: EnginesLocation): (pod: Pod, further?: readonly string[]) => Promise<PickerProcess> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  return async (pod, further = []) => {
    const { name, namespace = "" } = pod.metadata;
    const spec = pod.spec as unknown as V1PodSpec;
    const place = { kubeconfig, namespace, folder: join(folder, name) };
    const args = await argumentsWithFiles(core, namespace, place.folder, spec);
    return startPicker({
      args: [...args, ...further, "--metrics-endpoint-auth=false"],
      env: {
        KUBECONFIG: await accountKubeconfig(place, spec.serviceAccountName ?? "default"),
        NAMESPACE: namespace,
        POD_NAME: name,
      },
    });
  };
}
