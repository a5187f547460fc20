import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import type { ApiClient } from "./api-client.ts";
import { type Crd, type CrdGroup, upstreamCrds } from "./upstream-crds.ts";

/** API groups of the kinds that a plan emits besides Kubernetes' kinds. */
export const crdGroups: readonly CrdGroup[] = [
  "leaderworkerset.x-k8s.io",
  "scheduling.volcano.sh",
  "inference.networking.k8s.io",
  "gateway.networking.k8s.io",
];

/** The published CRDs of these groups and this project's CRDs, for clusters that start with them. */
export const crdsWithOwn = async (groups: readonly CrdGroup[] = crdGroups): Promise<Crd[]> => [
  ...(await upstreamCrds(groups)),
  ...(ownCrds() as unknown as Crd[]),
];

export interface InstallCrdsOptions {
  /** Groups to install. Default: all of crdGroups. */
  groups?: readonly CrdGroup[];
}

/**
 * Installs the CRDs that the projects publish and waits until the API server serves their kinds. Returns the CRDs' names.
 * For two seconds after a CRD is new the API server holds back creations of its kind, so that other servers of a
 * cluster see the CRD first. CRDs that replace installed ones take effect some moment after this answers.
 */
export async function installCrds(
  cluster: Pick<ApiClient, "request" | "apply">,
  { groups = crdGroups }: InstallCrdsOptions = {},
): Promise<string[]> {
  const crds = await upstreamCrds(groups);
  await Promise.all(crds.map((crd) => installCrd(cluster, crd)));
  return crds.map(({ metadata }) => metadata.name);
}

/** Installs the CRDs of this project, as `installCrds` does. Returns their names. */
export async function installOwnCrds(
  cluster: Pick<ApiClient, "request" | "apply">,
): Promise<string[]> {
  const crds = ownCrds() as unknown as Crd[];
  await Promise.all(crds.map((crd) => installCrd(cluster, crd)));
  return crds.map(({ metadata }) => metadata.name);
}

/** Server-side apply, since a CRD may be larger than the annotation of a client-side one. */
export async function installCrd(
  cluster: Pick<ApiClient, "request" | "apply">,
  crd: Crd,
): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  await cluster.apply(path, crd);
  const served = crd.spec.versions.filter((version) => version.served);
  for (const { name } of served) {
    await whenServed(cluster, `/apis/${crd.spec.group}/${name}/${crd.spec.names.plural}`);
  }
}

const servedWithinMs = 30_000;

/** A kind is served a moment after its CRD is Established. */
async function whenServed(cluster: Pick<ApiClient, "request">, path: string): Promise<void> {
  const deadline = Date.now() + servedWithinMs;
  for (;;) {
    try {
      await cluster.request("GET", `${path}?limit=1`);
      return;
    } catch (error) {
      const isPending = error instanceof ApiError && error.status === 404;
      if (!isPending || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
