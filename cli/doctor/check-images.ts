import { defaultRuntimeImage } from "../../sdk/topology/runtime-image.ts";
import { type CheckResult, error, forbidden, ok } from "./check-result.ts";
import { type ClusterObservation, type Pod, seenOf } from "./observation.ts";

const check = "images";

const cannotPull = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"];

/** Repository of this project's image, in any registry. */
const ownName = /(^|\/)pulumi-inference(:|@|$)/;

const push =
  "npm run image -- --push REGISTRY/NAME:TAG in a checkout, then pulumi config set pulumi-inference:image REGISTRY/NAME:TAG";

/** Images that kubelets cannot pull. Only the pods report this: `pulumi up` succeeds. */
export function checkImages({ namespace, pods }: ClusterObservation): CheckResult[] {
  if (pods.state === "forbidden") return [forbidden(check, `pods of namespace ${namespace}`, pods)];
  const byImage = Map.groupBy(seenOf(pods).flatMap(unpulled), ({ image }) => image);
  if (byImage.size === 0)
    return [ok(check, `no pod of namespace ${namespace} waits for its image`)];
  return [...byImage].map(([image, found]) =>
    error(check, {
      title: `image ${image} cannot be pulled`,
      seen: `${found.map(({ pod, reason }) => `pod ${pod}: ${reason}`).join(", ")}`,
      fix:
        image === defaultRuntimeImage || ownName.test(image)
          ? push
          : `kubectl describe pod ${found[0]?.pod} -n ${namespace}`,
    }),
  );
}

const unpulled = ({ metadata, status }: Pod) =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    ({ image = "", state }) => {
      const reason = state?.waiting?.reason ?? "";
      return cannotPull.includes(reason) ? [{ pod: metadata.name, image, reason }] : [];
    },
  );
