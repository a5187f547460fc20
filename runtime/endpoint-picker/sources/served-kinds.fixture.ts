import type { ApiClient } from "../../../test/harness/api-client.ts";

export interface LooseKind {
  readonly group: string;
  /** The first is the one that is stored. */
  readonly versions: readonly string[];
  readonly kind: string;
}

/** Installs a CRD that takes anything, so that a test can have objects which a stricter schema refuses. */
export async function installLooseCrd(
  cluster: Pick<ApiClient, "request">,
  { group, versions, kind }: LooseKind,
): Promise<void> {
  const singular = kind.toLowerCase();
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  await cluster.request("POST", crds, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${singular}s.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, test" },
    },
    spec: {
      group,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      scope: "Namespaced",
      versions: versions.map((name, at) => ({ name, served: true, storage: at === 0, schema })),
    },
  });
}

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
