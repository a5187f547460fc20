import type * as pulumi from "@pulumi/pulumi";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";

/**
 * What an object's resource registers: the manifest, and `status` as an output. An object that is only read has
 * no inputs, yet every property is named, so that it can be read back.
 */
export function objectInputs(
  { apiVersion, kind }: KindFacts,
  args: { metadata?: unknown; spec?: unknown } | undefined,
  opts: pulumi.CustomResourceOptions | undefined,
): pulumi.Inputs {
  const read = opts?.id !== undefined;
  return {
    apiVersion: read ? undefined : apiVersion,
    kind: read ? undefined : kind,
    metadata: read ? undefined : args?.metadata,
    spec: read ? undefined : args?.spec,
    status: undefined,
  };
}
