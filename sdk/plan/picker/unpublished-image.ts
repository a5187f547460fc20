import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { defaultRuntimeImage, defaultSidecarImage } from "../../topology/runtime-image.ts";
import { isPublished } from "../../version.ts";

/** Default images, the kind of object that uses each, and the setting that replaces it. */
const defaults = [
  { kind: "Deployment", image: defaultRuntimeImage, setting: "image" },
  { kind: "LeaderWorkerSet", image: defaultSidecarImage, setting: "sidecarImage" },
];

/**
 * Returns a message if pods would use this project's images before they are published. Undefined if none would.
 *
 * @param published whether the images are published
 */
export function unpublishedImage(
  manifests: readonly Manifest[],
  published = isPublished,
): string | undefined {
  if (published) return undefined;
  const reported = defaults.flatMap(({ kind, image, setting }) => {
    const user = manifests.find((each) => each.kind === kind && uses(each, image));
    if (user === undefined) return [];
    return (
      `${kind} ${user.metadata.name} uses the image ${image}, which is not published yet: ` +
      "its pods cannot start. Push an image from a checkout with `npm run image -- --push REGISTRY/NAME`. Then set it for " +
      `all components of the stack with \`pulumi config set pulumi-inference:${setting} REGISTRY/NAME@sha256:...\`, or for ` +
      `one component with its argument \`${setting}\`.`
    );
  });
  return reported.length === 0 ? undefined : reported.join("\n");
}

interface PodTemplate {
  readonly spec: Readonly<
    Record<"containers" | "initContainers", readonly Container[] | undefined>
  >;
}

/** Fields with the pod templates of a Deployment and a LeaderWorkerSet. */
interface Templates {
  readonly template?: PodTemplate;
  readonly leaderWorkerTemplate?: {
    readonly leaderTemplate?: PodTemplate;
    readonly workerTemplate?: PodTemplate;
  };
}

interface Container {
  readonly image?: unknown;
}

function uses({ spec }: Manifest, image: string): boolean {
  const { template, leaderWorkerTemplate: group } = spec as Templates;
  return [template, group?.leaderTemplate, group?.workerTemplate].some((pods) => {
    const { containers = [], initContainers = [] } = pods?.spec ?? {};
    return [...containers, ...initContainers].some((container) => container.image === image);
  });
}
