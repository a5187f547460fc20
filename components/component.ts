import type * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../sdk/kubernetes/manifest.ts";
import type { Metadata } from "../sdk/spec/inference-service.ts";
import type { ComponentOptions } from "./child-options.ts";
import { type Children, createChildren } from "./children.ts";
import { claimNames } from "./names-in-use.ts";

/** Whether a value is a component of a type, whichever copy of this package made it. */
export const isComponent = (value: unknown, type: string): boolean =>
  (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType === type;

/** Claims the names of planned objects and makes them, for a component that waits for nothing. */
export function makeObjects(
  component: pulumi.ComponentResource,
  name: string,
  metadata: Metadata,
  opts: ComponentOptions,
  manifests: readonly Manifest[],
): Children {
  claimNames(component, name, opts.parent, manifests);
  const readiness = { wait: "none", minimums: new Map() } as const;
  return createChildren({ parent: component, name, metadata, opts, readiness }, manifests);
}
