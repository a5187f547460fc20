import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { isPublished } from "../../version.ts";

/**
 * What to say where pods would use this project's own image before anybody can pull it; undefined where none would.
 *
 * @param published whether anybody can
 */
export function unpublishedImage(
  manifests: readonly Manifest[],
  published = isPublished,
): string | undefined {
  const user = published ? undefined : manifests.find(usesDefaultImage);
  if (user === undefined) return undefined;
  return (
    `${user.kind} ${user.metadata.name} uses the image ${defaultRuntimeImage}, which is not published yet: ` +
    "its pods cannot start. Push one from a checkout, with `npm run image -- --push REGISTRY/NAME`; then name it for " +
    "all components of the stack, with `pulumi config set pulumi-inference:image REGISTRY/NAME@sha256:...`, or for " +
    "one, with its argument `image`."
  );
}

interface PodTemplate {
  readonly template?: {
    readonly spec: Readonly<
      Record<"containers" | "initContainers", readonly Container[] | undefined>
    >;
  };
}

interface Container {
  readonly image?: unknown;
}

function usesDefaultImage({ kind, spec }: Manifest): boolean {
  if (kind !== "Deployment") return false;
  const { containers = [], initContainers = [] } = (spec as PodTemplate).template?.spec ?? {};
  return [...containers, ...initContainers].some(({ image }) => image === defaultRuntimeImage);
}
