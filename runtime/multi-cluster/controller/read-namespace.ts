import type { KubernetesObject } from "../../../kubernetes/values/object.ts";

export interface NamespaceObject {
  readonly uid: string;
  readonly terminating: boolean;
}

export function readNamespace({ metadata, ...rest }: KubernetesObject): NamespaceObject {
  const { status } = rest as { status?: { phase?: string } };
  return {
    uid: metadata.uid ?? "",
    terminating: metadata.deletionTimestamp !== undefined || status?.phase === "Terminating",
  };
}
