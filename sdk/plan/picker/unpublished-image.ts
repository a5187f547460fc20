import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { defaultRuntimeImage, defaultSidecarImage } from "../../topology/runtime-image.ts";
import { isPublished } from "../../version.ts";

/** The default images, and who uses them. */
const defaults = [
  { kind: "Deployment", image: defaultRuntimeImage, setting: "image" },
  { kind: "LeaderWorkerSet", image: defaultSidecarImage, setting: "sidecarImage" },
];

/**
 * What to say where pods would use this project's own images before anybody can pull them; undefined where none would.
 *
 * @param published whether anybody can
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

/** The places where a Deployment and a LeaderWorkerSet have their pods. */
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
