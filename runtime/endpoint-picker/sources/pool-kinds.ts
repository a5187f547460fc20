/** Where a kind of object is served: group (empty for Kubernetes' own), version and plural. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Nothing works without it. */
  readonly required: boolean;
}

/** Group-versions of objectives and rewrites, the one that wins first where two have an object of one name. */
const groupVersions = [
  { group: "llm-d.ai", version: "v1alpha2" },
  { group: "inference.networking.x-k8s.io", version: "v1alpha2" },
  { group: "inference.networking.x-k8s.io", version: "v1alpha1" },
] as const;

const served = (plural: string): ServedKind[] =>
  groupVersions.map((groupVersion) => ({ ...groupVersion, plural, required: false }));

export const objectiveKinds = served("inferenceobjectives");
export const rewriteKinds = served("inferencemodelrewrites");

export const serviceKind: ServedKind = {
  group: "inference.x-k8s.io",
  version: "v1alpha1",
  plural: "llmservices",
  required: false,
};

/** API group of pools where `--pool-group` says nothing else. */
export const defaultPoolGroup = "inference.networking.k8s.io";

export const poolKind = (group: string): ServedKind => ({
  group,
  version: "v1",
  plural: "inferencepools",
  required: true,
});

export const podKind: ServedKind = { group: "", version: "v1", plural: "pods", required: true };

export const pathOf = ({ group, version, plural }: ServedKind, namespace: string): string =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}/namespaces/${namespace}/${plural}`;
