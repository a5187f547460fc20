import type * as pulumi from "@pulumi/pulumi";
import { Resource } from "@pulumi/pulumi";

/** Returns every resource among the nodes of a component. */
export const resourcesIn = (nodes: object): pulumi.Resource[] =>
  Object.values(nodes).flatMap((node: object | undefined) => {
    if (node === undefined) return [];
    return Resource.isInstance(node) ? [node] : resourcesIn(node);
  });
