import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { unpublishedImage } from "../sdk/plan/picker/unpublished-image.ts";

/** The programs that have been told, by their connection to the engine: there is one a run. */
const told = new WeakSet<object>();

/** Warns once a program, at preview, where pods would use an image that nobody can pull yet. */
export function sayUnpublishedImage(
  component: pulumi.Resource,
  manifests: readonly Manifest[],
): void {
  const program = pulumi.runtime.getMonitor();
  if (!pulumi.runtime.isDryRun() || program === undefined || told.has(program)) return;
  const warning = unpublishedImage(manifests);
  if (warning === undefined) return;
  told.add(program);
  void pulumi.log.warn(warning, component);
}
