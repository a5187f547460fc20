/** A directory of files in a container, read-only, and the volume that they come from. */
export interface MountedFiles {
  readonly name: string;
  readonly mountPath: string;
  /** Source of the volume, such as `{ configMap: { name } }`. */
  readonly source: object;
}

/** The volumes of a pod; undefined where there are none. */
export const volumesOf = (files: readonly MountedFiles[]) =>
  files.length === 0 ? undefined : files.map(({ name, source }) => ({ name, ...source }));

/** The volume mounts of its container; undefined where there are none. */
export const mountsOf = (files: readonly MountedFiles[]) =>
  files.length === 0
    ? undefined
    : files.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true }));
