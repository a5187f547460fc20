import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CoreV1Api, V1PodSpec } from "@kubernetes/client-node";

/** Reads ConfigMaps, and Secrets unless no pod mounts any. */
type FileReader = Pick<CoreV1Api, "readNamespacedConfigMap"> &
  Partial<Pick<CoreV1Api, "readNamespacedSecret">>;

/**
 * Writes the files that the first container of a pod mounts from ConfigMaps and Secrets, and returns its arguments with
 * the paths of these files instead of the paths in the container.
 */
export async function argumentsWithFiles(
  core: FileReader,
  namespace: string,
  folder: string,
  { containers: [container], volumes = [] }: V1PodSpec,
): Promise<string[]> {
  const mounts = new Map<string, string>();
  for (const { name, mountPath } of container?.volumeMounts ?? []) {
    const volume = volumes.find((each) => each.name === name);
    const target = join(folder, name);
    mkdirSync(target, { recursive: true });
    const files = await filesOf(core, namespace, volume);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(target, file), content);
    mounts.set(mountPath, target);
  }
  return (container?.args ?? []).map((argument) => {
    const [flag = "", value] = argument.split(/=(.*)/s);
    const mount = [...mounts].find(([path]) => value === path || value?.startsWith(`${path}/`));
    return mount === undefined ? argument : `${flag}=${value?.replace(mount[0], mount[1])}`;
  });
}

async function filesOf(
  core: FileReader,
  namespace: string,
  volume: NonNullable<V1PodSpec["volumes"]>[number] | undefined,
): Promise<Record<string, string | Buffer>> {
  if (volume?.configMap?.name !== undefined) {
    const { name } = volume.configMap;
    return (await core.readNamespacedConfigMap({ namespace, name })).data ?? {};
  }
  if (volume?.secret?.secretName !== undefined && core.readNamespacedSecret !== undefined) {
    const name = volume.secret.secretName;
    const { data = {} } = await core.readNamespacedSecret({ namespace, name });
    return Object.fromEntries(
      Object.entries(data).map(([file, base64]) => [file, Buffer.from(base64, "base64")]),
    );
  }
  throw new Error(`a volume of a kind that is not known here: ${JSON.stringify(volume)}`);
}
