import { z } from "zod";
import { annotation } from "../../../sdk/names.ts";
import { identityOf, objectMetadata, reasonOf } from "../../../sdk/routing/object-identity.ts";
import { exportModes } from "../../../sdk/spec/export.ts";
import { isNetwork } from "../../../sdk/spec/reachable-address.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { RemoteAddress, RemoteCluster, RemotePicker } from "./remote-cluster.ts";

/** Content of an InferencePoolImport. */
export interface ImportedClusters {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Undefined if the import does not describe how its clusters are reached. */
  readonly clusters: readonly RemoteCluster[] | undefined;
  /** Whether at least one cluster exports the pool, according to the import. */
  readonly isExported: boolean;
}

/** Called for each part of an import that cannot be read and is left out. */
export type OnUnreadable = (problem: string) => void;

const importSchema = z.object({
  metadata: objectMetadata,
  status: z
    .object({
      clusters: z.array(z.unknown()).nullish(),
      controllers: z
        .array(z.object({ exportingClusters: z.array(z.unknown()).nullish() }))
        .nullish(),
    })
    .nullish(),
});

/** Returns undefined for an import that is being deleted. */
export function readImport(
  object: unknown,
  onUnreadable: OnUnreadable,
): ImportedClusters | undefined {
  const { metadata, status } = importSchema.parse(object);
  if (metadata.deletionTimestamp) return undefined;
  const clusters = status?.clusters ?? detailOf(metadata.annotations, onUnreadable);
  return {
    ...identityOf(metadata),
    clusters: clusters && clustersOf(clusters, onUnreadable),
    isExported: status?.controllers?.some((each) => each.exportingClusters?.length) ?? false,
  };
}

const importDetail = z.object({ clusters: z.array(z.unknown()) });

/** Reads the clusters from the annotation, for imports whose kind has no field for them. */
function detailOf(
  annotations: Readonly<Record<string, string>> | null | undefined,
  onUnreadable: OnUnreadable,
): readonly unknown[] | undefined {
  const text = annotations?.[annotation.importDetail];
  if (text === undefined) return undefined;
  try {
    return importDetail.parse(JSON.parse(text)).clusters;
  } catch (error) {
    onUnreadable(`annotation ${annotation.importDetail}: ${reasonOf(error)}`);
    return undefined;
  }
}

const conditions = z.array(z.object({ type: z.string(), status: z.string() })).nullish();

/** Ignores unknown fields, because the writer may be newer. */
const services = z.array(
  z.object({
    addresses: z.array(z.string().min(1)).nullish(),
    ports: z.array(z.object({ number: z.int().min(1).max(65_535) })).nullish(),
  }),
);
const portOfPicker = z.object({ port: z.int().min(1).max(65_535) }).nullish();
const clusterSchema = z.object({
  name: z.string().min(1),
  routingMode: z.enum(exportModes),
  endpointPicker: z
    .object({
      name: z.string(),
      service: services.nullish(),
      health: portOfPicker,
      metrics: portOfPicker,
    })
    .nullish(),
  parents: z.array(z.object({ service: services.nullish(), conditions })).nullish(),
  networks: z.array(z.string().refine(isNetwork, "a network such as 10.4.0.0/14")).nullish(),
  maxEndpoints: z.int().min(0).nullish(),
  locality: z.object({ region: z.string().nullish(), zone: z.string().nullish() }).nullish(),
  conditions,
});
type Cluster = z.infer<typeof clusterSchema>;
type Services = z.infer<typeof services>;

/** Reports and skips invalid entries. The first of several entries with one name counts. */
function clustersOf(entries: readonly unknown[], onUnreadable: OnUnreadable): RemoteCluster[] {
  const clusters = new Map<string, RemoteCluster>();
  for (const [at, entry] of entries.entries()) {
    try {
      const cluster = remoteCluster(clusterSchema.parse(entry));
      if (!clusters.has(cluster.name)) clusters.set(cluster.name, cluster);
    } catch (error) {
      onUnreadable(`clusters[${at}]: ${reasonOf(error)}`);
    }
  }
  return [...clusters.values()];
}

const remoteCluster = (cluster: Cluster): RemoteCluster => ({
  name: cluster.name,
  mode: cluster.routingMode,
  picker: pickerOf(cluster),
  parents: (cluster.parents ?? [])
    .filter((parent) => statusOf(parent.conditions, "Programmed") !== "False")
    .flatMap(({ service }) => addressesOf(service ?? [], 80)),
  networks: cluster.networks ?? undefined,
  maxEndpoints: cluster.maxEndpoints ?? undefined,
  location: {
    region: cluster.locality?.region ?? undefined,
    zone: cluster.locality?.zone ?? undefined,
  },
  ready: statusOf(cluster.conditions, "Ready"),
});

function pickerOf({ endpointPicker }: Cluster): RemotePicker | undefined {
  if (!endpointPicker) return undefined;
  const { name, service, health, metrics } = endpointPicker;
  const addresses = addressesOf(service ?? [], runtimePorts.extProc);
  if (addresses.length === 0) return undefined;
  return { service: name, addresses, healthPort: health?.port, metricsPort: metrics?.port };
}

/** Prefers the well-known port, then the first; falls back to the well-known port if none is listed. */
const addressesOf = (list: Services, usual: number): RemoteAddress[] =>
  list.flatMap(({ addresses, ports }) => {
    const numbers = (ports ?? []).map(({ number }) => number);
    const port = numbers.includes(usual) ? usual : (numbers[0] ?? usual);
    return (addresses ?? []).map((host) => ({ host, port }));
  });

function statusOf(list: z.infer<typeof conditions>, type: string): RemoteCluster["ready"] {
  const status = list?.find((condition) => condition.type === type)?.status;
  return status === "True" || status === "False" ? status : "Unknown";
}
