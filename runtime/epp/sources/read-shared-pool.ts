import { z } from "zod";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { annotation } from "../../../sdk/names.ts";
import { type UnparsedBodies, unparsedBodyPolicies } from "../../../sdk/spec/picker-requests.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { PoolObject } from "../datastore/pool-objects.ts";
import { readPool } from "./read-objects.ts";

/** A pool that names a Service as its picker, with its own settings for the picker. */
export interface SharedPoolObject {
  readonly pool: PoolObject;
  /** Port of the Service that gateways connect to. */
  readonly port: number;
  /** EndpointPickerConfig as YAML; undefined for the default. */
  readonly config: string | undefined;
  readonly tenantHeader: string | undefined;
  /** Undefined for the picker's default. */
  readonly unparsedBodies: UnparsedBodies | undefined;
}

const schema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).nullish() }),
  spec: z.object({
    endpointPickerRef: z
      .object({
        group: z.string().nullish(),
        kind: z.string().nullish(),
        name: z.string(),
        port: z.object({ number: z.number().int() }).nullish(),
      })
      .nullish(),
  }),
});

/** Returns undefined for a pool that names another picker or is being deleted. */
export function readSharedPool(object: unknown, service: string): SharedPoolObject | undefined {
  const { metadata, spec } = schema.parse(object);
  const picker = spec.endpointPickerRef;
  if (picker?.name !== service || picker.group || (picker.kind ?? "Service") !== "Service")
    return undefined;
  const pool = readPool(object, kinds.InferencePool.group);
  if (pool === undefined) return undefined;
  return {
    pool,
    port: picker.port?.number ?? runtimePorts.extProc,
    config: metadata.annotations?.[annotation.pickerConfig],
    unparsedBodies: unparsedBodyPolicies.find(
      (policy) => policy === metadata.annotations?.[annotation.unparsedBodies],
    ),
    tenantHeader: metadata.annotations?.[annotation.tenantHeader]?.toLowerCase(),
  };
}
