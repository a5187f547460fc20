import { objectPath as pathOf } from "../../kubernetes/paths.ts";
import type { ApiClient } from "../api/api-client.ts";

/** A kind that the API server serves: what it is called and where its objects are. */
export interface ResourceKind {
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

interface ResourceList {
  groupVersion: string;
  resources: Array<{ name: string; kind: string; namespaced: boolean; verbs: string[] }>;
}

/** Kinds whose objects can be watched and deleted, each in its preferred version. */
export async function resourceKinds(client: Pick<ApiClient, "request">): Promise<ResourceKind[]> {
  const { groups } = await client.request<{
    groups: Array<{ preferredVersion: { groupVersion: string } }>;
  }>("GET", "/apis");
  const paths = [
    "/api/v1",
    ...groups.map((group) => `/apis/${group.preferredVersion.groupVersion}`),
  ];
  const lists = await Promise.all(paths.map((path) => client.request<ResourceList>("GET", path)));
  return lists.flatMap(({ groupVersion, resources }) =>
    resources
      .filter(({ verbs }) => ["list", "watch", "delete"].every((verb) => verbs.includes(verb)))
      .filter(({ kind }) => kind !== "Event")
      .map(({ name, kind, namespaced }) => ({
        apiVersion: groupVersion,
        kind,
        plural: name,
        namespaced,
      })),
  );
}

export const objectPath = (
  kind: ResourceKind,
  { name, namespace }: { name: string; namespace?: string },
): string => pathOf(kind, { name, namespace: kind.namespaced ? namespace : undefined });
