import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { unawaitedReadiness } from "../sdk/plan/readiness-text.ts";
import type { ComponentOptions } from "./child-options.ts";
import { type Children, createChildren } from "./children.ts";
import { claimNames } from "./names-in-use.ts";
import { after, inNamespace, type Placed } from "./namespace.ts";

/** Whether a value is a component of a type, whichever copy of this package made it. */
export const isComponent = (value: unknown, type: string): boolean =>
  (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType === type;

/** Claims the names of planned objects and makes them, for a component that waits for nothing. */
export function makeObjects(
  component: pulumi.ComponentResource,
  name: string,
  placed: Placed,
  opts: ComponentOptions,
  manifests: readonly Manifest[],
): Children {
  const readiness = { wait: "none", minimums: new Map() } as const;
  const { metadata } = placed;
  const namespace = after(placed.namespace, (known) =>
    claimNames(component, name, opts.parent, inNamespace(manifests, known)),
  );
  return createChildren(
    { parent: component, name, metadata, namespace, opts, readiness },
    manifests,
  );
}

/** The output `readiness` of a component that waits for nothing. */
export const unawaited = (
  manifests: readonly Manifest[],
  { metadata }: Placed,
  namespace: pulumi.Input<string>,
): pulumi.Output<string> =>
  pulumi.output(inNamespace(unawaitedReadiness(manifests, metadata.namespace), namespace));
