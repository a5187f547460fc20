import { apiextensions, type types } from "@pulumi/kubernetes";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import type { ObjectMeta } from "../../kubernetes/values/manifest.ts";
import { providerAnnotation } from "../readiness.ts";

/**
 * Applies a definition with a Patch resource, which also works if the definition exists, for example because it
 * outlived its stack. It is kept when the resource is deleted, because deleting a definition deletes every object of its
 * kind.
 */
export const applyDefinition = (
  name: string,
  { metadata, spec }: { readonly metadata: ObjectMeta; readonly spec?: unknown },
  opts: CustomResourceOptions,
): apiextensions.v1.CustomResourceDefinitionPatch =>
  new apiextensions.v1.CustomResourceDefinitionPatch(
    name,
    {
      metadata: {
        ...metadata,
        annotations: {
          ...metadata.annotations,
          [providerAnnotation.waitFor]: "condition=Established",
        },
      },
      spec: spec as types.input.apiextensions.v1.CustomResourceDefinitionSpecPatch,
    },
    { ...opts, retainOnDelete: true },
  );
