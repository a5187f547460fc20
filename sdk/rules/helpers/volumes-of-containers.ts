import { isMap } from "../../../kubernetes/values/records.ts";
import type { ContainerShape, PodShape } from "../../stack/shapes.ts";

/** The volumes in which the paths of a container are. */

type Mount = NonNullable<ContainerShape["volumeMounts"]>[number];
type Volume = NonNullable<PodShape["volumes"]>[number];

interface Covering {
  readonly mount: Mount;
  /** Undefined for a volume that the template does not contain, such as a claim template of a StatefulSet. */
  readonly volume: Volume | undefined;
  readonly isReadOnly: boolean;
}

const withSlash = (path: string): string => `${path.replace(/\/+$/, "")}/`;

/** Whether a path is in a directory, or is the directory. */
export const isBelow = (path: string, directory: string): boolean =>
  withSlash(path).startsWith(withSlash(directory));

/** Returns the innermost volume that contains a path; undefined if the path is on the root file system. */
export function coveringVolume(
  path: string,
  { volumeMounts = [] }: ContainerShape,
  { volumes = [] }: PodShape,
): Covering | undefined {
  const [mount] = volumeMounts
    .filter(({ mountPath }) => isBelow(path, mountPath))
    .toSorted((a, b) => withSlash(b.mountPath).length - withSlash(a.mountPath).length);
  if (mount === undefined) return undefined;
  const volume = volumes.find(({ name }) => name === mount.name);
  return { mount, volume, isReadOnly: mount.readOnly === true || isReadOnlyVolume(volume) };
}

/** Kinds of volumes to which no container can write. */
const readOnlyKinds = ["configMap", "secret", "downwardAPI", "projected", "image"];

/** Whether no mount of a volume is writable. */
const isReadOnlyVolume = (volume: Volume | undefined): boolean =>
  Object.entries(volume ?? {}).some(
    ([kind, source]) => readOnlyKinds.includes(kind) || (isMap(source) && source.readOnly === true),
  );
