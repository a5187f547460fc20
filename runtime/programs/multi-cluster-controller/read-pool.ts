import { z } from "zod";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { PoolParent, PoolView } from "../../../sdk/multi-cluster/view.ts";
import { annotation } from "../../../sdk/topology/names.ts";
import { has, parents } from "./member-shapes.ts";

/** An InferencePool without what other objects say of it. */
export interface PoolObject extends Omit<PoolView, "picker" | "gateways"> {
  /** RFC 3339. */
  readonly createdAt: string;
  /** Service of the picker. */
  readonly picker: { readonly name: string; readonly port: number } | undefined;
}

const poolSpec = z.object({
  targetPorts: z.array(z.object({ number: z.number() })).min(1),
  appProtocol: z.string().max(63).optional(),
  endpointPickerRef: z
    .object({
      name: z.string().max(253),
      kind: z.string().optional(),
      group: z.string().optional(),
      port: z.object({ number: z.number() }).optional(),
    })
    .optional(),
});

/** Characters of a value that is quoted where it is not understood. */
const longestValue = 253;

/** Undefined for what no API server with the pool's CRD can have. */
export function readPool(object: KubernetesObject): PoolObject | undefined {
  const { metadata, spec, status } = object as KubernetesObject & {
    spec?: unknown;
    status?: { parents?: PoolParent[] };
  };
  const read = poolSpec.safeParse(spec);
  if (!read.success || !has(parents, status?.parents)) return undefined;
  const { targetPorts, appProtocol = "http", endpointPickerRef: picker } = read.data;
  const isService = (picker?.kind ?? "Service") === "Service" && (picker?.group ?? "") === "";
  return {
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    createdAt: metadata.creationTimestamp ?? "",
    deleting: metadata.deletionTimestamp !== undefined,
    export: metadata.annotations?.[annotation.export]?.slice(0, longestValue),
    exportMode: metadata.annotations?.[annotation.exportMode]?.slice(0, longestValue),
    appProtocol,
    targetPort: targetPorts[0]?.number ?? 0,
    picker:
      picker?.port !== undefined && isService
        ? { name: picker.name, port: picker.port.number }
        : undefined,
    parents: status?.parents ?? [],
  };
}
