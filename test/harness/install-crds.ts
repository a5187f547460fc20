import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import { type ApiClient, ApiError } from "./api-client.ts";
import { go, goModules } from "./go-modules.ts";

/** API groups of the kinds that a plan emits beside Kubernetes' own. */
export const crdGroups = [
  "leaderworkerset.x-k8s.io",
  "scheduling.volcano.sh",
  "inference.networking.k8s.io",
  "gateway.networking.k8s.io",
] as const;

export interface InstallCrdsOptions {
  /** Groups to install. Default: all of crdGroups. */
  groups?: readonly string[];
  /**
   * Folder with the CRDs that the projects themselves publish, taken in place of the stand-ins.
   * Default: the stand-ins, and for the Gateway API the CRDs of its Go module.
   */
  upstream?: string | undefined;
}

/**
 * Installs CRDs and waits until the API server serves their kinds. Answers the CRDs' names.
 * For two seconds after a CRD is new the API server holds back creations of its kind, so that other servers of a
 * cluster see the CRD first. CRDs that replace installed ones take effect some moment after this answers: use a
 * fresh cluster for upstream CRDs.
 */
export async function installCrds(
  cluster: Pick<ApiClient, "request" | "apply">,
  { groups = crdGroups, upstream }: InstallCrdsOptions = {},
): Promise<string[]> {
  const sources = upstream === undefined ? await ownSources(groups) : [upstream];
  const crds = sources.flatMap(crdsIn).filter(({ spec }) => groups.some((g) => g === spec.group));
  const absent = groups.filter((group) => !crds.some(({ spec }) => spec.group === group));
  if (absent.length > 0) throw new Error(`${sources.join(", ")}: no CRD of ${absent.join(", ")}`);
  await Promise.all(crds.map((crd) => install(cluster, crd)));
  return crds.map(({ metadata }) => metadata.name);
}

/** Installs the CRDs of this project, as `installCrds` does. Answers their names. */
export async function installOwnCrds(
  cluster: Pick<ApiClient, "request" | "apply">,
): Promise<string[]> {
  const crds = ownCrds() as unknown as Crd[];
  await Promise.all(crds.map((crd) => install(cluster, crd)));
  return crds.map(({ metadata }) => metadata.name);
}

/** Folder with upstream CRDs beside the checkout, where it has one. */
export function upstreamCrds(): string | undefined {
  const folder = join(import.meta.dirname, "..", "..", "..", "shared", "crds");
  if (existsSync(folder)) return folder;
  if (!warned) {
    console.warn(
      `${folder} is absent: planned objects are checked against the stand-in CRDs only, not against those ` +
        "that LeaderWorkerSet, Volcano and the inference extension publish.",
    );
    warned = true;
  }
  return undefined;
}

let warned = false;

interface Crd {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    group: string;
    names: { plural: string };
    versions: Array<{ name: string; served: boolean }>;
  };
}

async function ownSources(groups: readonly string[]): Promise<string[]> {
  const standIns = join(import.meta.dirname, "crds");
  return groups.includes("gateway.networking.k8s.io")
    ? [standIns, await gatewayApiCrds()]
    : [standIns];
}

/** Folder with the CRDs of the Gateway API's standard channel, from its Go module. */
export async function gatewayApiCrds(): Promise<string> {
  const output = await go("gateway-api", ["mod", "download", "-json", goModules["gateway-api"]]);
  return join((JSON.parse(output) as { Dir: string }).Dir, "config", "crd", "standard");
}

function crdsIn(folder: string): Crd[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => parse(readFileSync(join(folder, name), "utf8")) as Crd)
    .map(({ apiVersion, kind, metadata, spec }) => ({ apiVersion, kind, metadata, spec }));
}

/** Server-side apply, since a CRD may be larger than the annotation of a client-side one. */
async function install(cluster: Pick<ApiClient, "request" | "apply">, crd: Crd): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  await cluster.apply(path, crd);
  const served = crd.spec.versions.filter((version) => version.served);
  for (const { name } of served) {
    await whenServed(cluster, `/apis/${crd.spec.group}/${name}/${crd.spec.names.plural}`);
  }
}

const servedWithinMs = 30_000;

/** A kind is served a moment after its CRD says Established. */
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
