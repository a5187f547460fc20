import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../../testing/api/api-client.ts";

export interface LooseKind {
  readonly group: string;
  /** The first version is the storage version. */
  readonly versions: readonly string[];
  readonly kind: string;
}

/**
 * Installs a CRD without a strict schema, so that a test can create invalid objects, and waits until its kind is
 * served.
 */
export async function installLooseCrd(
  cluster: Pick<ApiClient, "apply" | "request">,
  { group, versions, kind }: LooseKind,
): Promise<void> {
  const singular = kind.toLowerCase();
  const name = `${singular}s.${group}`;
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await cluster.apply(`${crds}/${name}`, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, test" } },
    spec: {
      group,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      scope: "Namespaced",
      versions: versions.map((version, at) => ({
        ...{ name: version, served: true, storage: at === 0 },
        schema: { openAPIV3Schema },
      })),
    },
  });
  for (const version of versions) {
    const list = `/apis/${group}/${version}/${singular}s?limit=1`;
    const isServed = () => cluster.request("GET", list).then(Boolean, () => false);
    while (!(await isServed())) await sleep(50);
  }
}

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
