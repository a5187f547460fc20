/** What the controller reads in each member, as group, version and plural. */
export const kinds = {
  namespaces: "v1/namespaces",
  pools: "inference.networking.k8s.io/v1/inferencepools",
  imports: "inference.networking.x-k8s.io/v1alpha1/inferencepoolimports",
  services: "v1/services",
  endpointSlices: "discovery.k8s.io/v1/endpointslices",
  routes: "gateway.networking.k8s.io/v1/httproutes",
  gateways: "gateway.networking.k8s.io/v1/gateways",
} as const;

export type Kind = keyof typeof kinds;

/** Path of the objects of a kind in a namespace. */
export function collectionPath(kind: Kind, namespace: string): string {
  const [plural, version, group] = kinds[kind].split("/").reverse();
  const root = group === undefined ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}/namespaces/${namespace}/${plural}`;
}
