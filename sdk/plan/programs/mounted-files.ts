/** A read-only directory of files in a container, and the volume that contains them. */
export interface MountedFiles {
  readonly name: string;
  readonly mountPath: string;
  /** Source of the volume, such as `{ configMap: { name } }`. */
  readonly source: object;
}

/** Returns the volumes of a pod. Undefined if there are no files. */
export const volumesOf = (files: readonly MountedFiles[]) =>
  files.length === 0 ? undefined : files.map(({ name, source }) => ({ name, ...source }));

/** Returns the volume mounts of a container. Undefined if there are no files. */
export const mountsOf = (files: readonly MountedFiles[]) =>
  files.length === 0
    ? undefined
    : files.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true }));
