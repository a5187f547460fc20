import type { Path } from "../errors.ts";

interface Pod<Container> {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[] | undefined;
}

/** Every container of a pod with its path, init containers too. `path` is that of the pod's spec. */
export const containersOf = <Container>(spec: Pod<Container>, path: Path) =>
  (["containers", "initContainers"] as const).flatMap((field) =>
    (spec[field] ?? []).map((container, at) => ({ container, path: [...path, field, at] })),
  );
