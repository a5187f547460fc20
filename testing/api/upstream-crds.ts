import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";
import {
  type GoModule,
  goModuleFolder,
  moduleSource,
  pinnedVersion,
} from "../processes/go-modules.ts";

/** The CRDs of other projects, from their Go modules. */

export interface Crd {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; shortNames?: string[] };
    versions: Array<{
      name: string;
      served: boolean;
      storage: boolean;
      schema: { openAPIV3Schema: StructuralSchema };
    }>;
  };
}

/** Publisher of each API group, and the folder of its CRDs in the module. */
const publishers = {
  "leaderworkerset.x-k8s.io": ["lws", "config/crd/bases"],
  "disaggregatedset.x-k8s.io": ["lws", "config/crd/bases"],
  "scheduling.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "batch.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "bus.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "nodeinfo.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "shard.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "topology.volcano.sh": ["volcano", "config/crd/volcano/bases"],
  "keda.sh": ["keda", "config/crd/bases"],
  "eventing.keda.sh": ["keda", "config/crd/bases"],
  "gateway.envoyproxy.io": ["envoy-gateway", "charts/gateway-helm/charts/crds/crds/generated"],
  "extensions.istio.io": ["istio", "manifests/charts/base/files"],
  "networking.istio.io": ["istio", "manifests/charts/base/files"],
  "security.istio.io": ["istio", "manifests/charts/base/files"],
  "telemetry.istio.io": ["istio", "manifests/charts/base/files"],
  "inference.networking.k8s.io": ["inference-extension", "config/crd/bases"],
  "inference.networking.x-k8s.io": ["inference-extension", "config/crd/bases"],
  "monitoring.coreos.com": ["prometheus-operator", "example/prometheus-operator-crd"],
  "gateway.networking.k8s.io": ["gateway-api", "config/crd/standard"],
} as const satisfies Record<string, readonly [GoModule, string]>;

export type CrdGroup = keyof typeof publishers;

/** Every CRD of the groups. */
export async function upstreamCrds(groups: readonly CrdGroup[]): Promise<Crd[]> {
  const modules = new Map(groups.map((group) => publishers[group]).map((at) => [at.join(" "), at]));
  const published = await Promise.all([...modules.values()].map(([name, at]) => crdsOf(name, at)));
  return published.flat().filter(({ spec }) => groups.some((group) => group === spec.group));
}

/** One CRD by its name, for example `podgroups.scheduling.volcano.sh`. */
export async function upstreamCrd(name: string): Promise<Crd> {
  const group = name.slice(name.indexOf(".") + 1) as CrdGroup;
  const crd = (await upstreamCrds([group])).find(({ metadata }) => metadata.name === name);
  if (crd === undefined) throw new Error(`${publishers[group][0]} publishes no CRD ${name}`);
  return crd;
}

const read = new Map<string, Promise<Crd[]>>();

/** Parsing a megabyte of YAML takes a second, so parsed CRDs are cached as JSON next to the built executables. */
function crdsOf(name: GoModule, folder: string): Promise<Crd[]> {
  const key = `${name} ${folder}`;
  const known = read.get(key) ?? readCrds(name, folder);
  read.set(key, known);
  return known;
}

async function readCrds(name: GoModule, folder: string): Promise<Crd[]> {
  const sums = readFileSync(join(goModuleFolder(name), "go.sum"));
  const key = createHash("sha256").update(`${folder}\n`).update(sums).digest("hex").slice(0, 8);
  const cache = join(homedir(), ".cache", "pulumi-inference");
  const kept = join(cache, `crds-${name}-${pinnedVersion(name)}-${key}.json`);
  if (!existsSync(kept)) {
    const scratch = `${kept}.${randomBytes(4).toString("hex")}`;
    mkdirSync(cache, { recursive: true });
    writeFileSync(scratch, JSON.stringify(crdsIn(join(await moduleSource(name), folder))));
    renameSync(scratch, kept);
  }
  return JSON.parse(readFileSync(kept, "utf8")) as Crd[];
}

const crdsIn = (folder: string): Crd[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), "utf8")))
    .map((document) => document.toJS() as Crd)
    .filter((object) => object?.kind === "CustomResourceDefinition")
    .map(({ apiVersion, kind, metadata, spec }) => ({ apiVersion, kind, metadata, spec }));
