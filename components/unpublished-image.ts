import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { unpublishedImage } from "../sdk/plan/picker/unpublished-image.ts";

/** Programs that have logged the warning, by their connection to the engine. Each run has one. */
const warned = new WeakSet<object>();

/** Logs one warning per program, in previews, if pods would use an image that is not published yet. */
export function warnUnpublishedImage(
  component: pulumi.Resource,
  manifests: readonly Manifest[],
): void {
  const program = pulumi.runtime.getMonitor();
  if (!pulumi.runtime.isDryRun() || program === undefined || warned.has(program)) return;
  const warning = unpublishedImage(manifests);
  if (warning === undefined) return;
  warned.add(program);
  void pulumi.log.warn(warning, component);
}
