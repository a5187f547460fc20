import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { type PoolGatewayType, poolSupportOf } from "../../gateways/index.ts";
import { endpointPickerName } from "../../names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";

/** The fields of a pool that objects of a gateway depend on. */
interface Pool {
  readonly name: string;
  readonly targetPorts: readonly number[];
  /** Whether the plan contains the pool's picker. */
  readonly hasPicker: boolean;
  /** Whether its pods serve HTTPS. Default false. */
  readonly isTls?: boolean;
}

/** Returns the objects that a type of gateway needs, in addition to the pool, to serve it. */
export const planGatewayObjects = (
  context: PlanContext,
  type: PoolGatewayType,
  { name, targetPorts, hasPicker, isTls = false }: Pool,
): readonly Manifest[] =>
  poolSupportOf(type).objects({
    name,
    namespace: context.metadata.namespace,
    targetPorts,
    isTls,
    picker: hasPicker
      ? { name: endpointPickerName(context.metadata.name), port: runtimePorts.extProc }
      : undefined,
    metadata: (object) => objectMeta(context, object),
  });
