import type { CommandLine } from "../../engines/command-line/started-programs.ts";
import { containersOf } from "../../engines/containers/containers.ts";
import { engineNameOf } from "../../engines/index.ts";
import type { Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";

/** Refuses services that name their model, and applies to the objects of a stack. */
export const containersHaveAnImage = {
  id: "containers-have-an-image",
  title: "Every container of a pod template has an image",
  why: "LeaderWorkerSet accepts a template without an image, and then creates no pod. In a service that names its model, a container whose name is not the name of the engine's container is a further container.",
  source: "k8s.io/kubernetes, Container: image is required in pods",
  code: "reference",
} as const;

/** Finds containers without an image. Paths start at the pod's spec, which is at `path`. */
export function* missingImages(
  pod: Parameters<typeof containersOf<CommandLine>>[0],
  path: Path,
): Iterable<Finding> {
  const engine = pod.containers.find(
    (container) => container.image !== undefined && engineNameOf(container) !== undefined,
  );
  for (const { container, path: at } of containersOf(pod, path)) {
    const { name, image } = container;
    // Another rule refuses a container without a name.
    if (typeof name !== "string" || (image !== undefined && image !== "")) continue;
    yield {
      path: [...at, "image"],
      given: `is missing in container ${name}`,
      allowed: "an image",
      fix: `Set image.${engine === undefined || at.includes("initContainers") ? "" : ` Or did you mean container ${String(engine.name)}, which runs the engine?`}`,
    };
  }
}
