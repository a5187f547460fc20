import { brotliDecompressSync } from "node:zlib";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { packedManifests } from "./packed-manifests.ts";
import type { PrerequisiteName } from "./prerequisites.ts";

/** Kinds of prerequisites, in the order of creation. Objects of one stage do not need each other. */
export const installStages: ReadonlyArray<readonly string[]> = [
  ["Namespace"],
  ["CustomResourceDefinition"],
  [
    ...["ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
    ...["ConfigMap", "Secret", "Service"],
  ],
  ["Job"],
  ["Deployment"],
  ["APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
];

let unpacked: Readonly<Record<PrerequisiteName, readonly Manifest[]>> | undefined;

/**
 * Returns the objects of a prerequisite's tested release, in the order in which to apply them: namespaces, CRDs,
 * permissions, Deployments, and webhooks last. The CRDs contain no descriptions.
 */
export function manifestsOfPrerequisite(name: PrerequisiteName): readonly Manifest[] {
  unpacked ??= JSON.parse(
    String(brotliDecompressSync(Buffer.from(packedManifests, "base64"))),
  ) as NonNullable<typeof unpacked>;
  return structuredClone(unpacked[name]);
}
