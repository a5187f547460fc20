import { readablePoolSpec } from "../../../kubernetes/kinds/inference-pool.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { PoolParent, PoolView } from "../../../sdk/multi-cluster/view.ts";
import { annotation } from "../../../sdk/names.ts";
import { has, parents } from "./member-shapes.ts";

/** An InferencePool without the data of other objects. */
export interface PoolObject extends Omit<PoolView, "picker" | "gateways"> {
  /** RFC 3339. */
  readonly createdAt: string;
  /** Service of the picker. */
  readonly picker: { readonly name: string; readonly port: number } | undefined;
}

/** Maximum characters of an annotation value, which error messages quote. */
const longestValue = 253;

/** Returns undefined for an object that the pool's CRD does not allow. */
export function readPool(object: KubernetesObject): PoolObject | undefined {
  const { metadata, spec, status } = object as KubernetesObject & {
    spec?: unknown;
    status?: { parents?: PoolParent[] };
  };
  const read = readablePoolSpec.safeParse(spec);
  if (!read.success || !has(parents, status?.parents)) return undefined;
  const { targetPorts = [], appProtocol = "http", endpointPickerRef: picker } = read.data;
  const [port] = targetPorts;
  if (port === undefined) return undefined;
  const isService = (picker?.kind ?? "Service") === "Service" && (picker?.group ?? "") === "";
  return {
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    createdAt: metadata.creationTimestamp ?? "",
    deleting: metadata.deletionTimestamp !== undefined,
    export: metadata.annotations?.[annotation.export]?.slice(0, longestValue),
    exportMode: metadata.annotations?.[annotation.exportMode]?.slice(0, longestValue),
    exportTo: metadata.annotations?.[annotation.exportTo]?.slice(0, longestValue + 1),
    appProtocol,
    targetPort: port.number,
    picker:
      picker?.port?.number !== undefined && isService
        ? { name: picker.name, port: picker.port.number }
        : undefined,
    parents: status?.parents ?? [],
  };
}
