import { isMap } from "../../kubernetes/values/records.ts";
import type { Container, HookPod } from "./hook-request.ts";
import { PluginRefusal } from "./plugin-refusal.ts";

/** A volume of a pod: its name and its source. */
export type Volume = Readonly<Record<string, unknown>> & { readonly name: string };

const entries = (list: unknown) => (Array.isArray(list) ? list.filter(isMap) : []);

/** Adds a volume. The same volume may exist already; a different one of that name is refused. */
export function addVolume({ spec }: HookPod, volume: Volume): void {
  const volumes = entries(spec.volumes);
  const at = volumes.findIndex(({ name }) => name === volume.name);
  if (at < 0) {
    spec.volumes = [...volumes, volume];
    return;
  }
  if (JSON.stringify(volumes[at]) === JSON.stringify(volume)) return;
  throw new PluginRefusal({
    path: ["spec", "volumes", at],
    given: `is another volume named ${JSON.stringify(volume.name)}`,
    allowed: "the plugin's volume, or no volume of that name",
    fix: "Rename the template's volume, or remove the plugin.",
  });
}

/** Returns the mount of a container at a path; undefined if there is none. */
export const mountAt = (container: Container, path: string) =>
  entries(container.volumeMounts).find(({ mountPath }) => mountPath === path);

/** Mounts a volume, unless the path is already mounted. */
export function addMount(
  container: Container,
  mount: Readonly<Record<string, unknown>> & { readonly mountPath: string },
): void {
  if (mountAt(container, mount.mountPath) !== undefined) return;
  container.volumeMounts = [...entries(container.volumeMounts), mount];
}
