import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { all, type NodeKey, type NodesOf, one } from "../nodes/node-keys.ts";
import { pickerNodeKeys } from "../nodes/program-node-keys.ts";

const elsewhere: NodeKey["takes"] = (metadata, component) =>
  metadata.namespace !== undefined && metadata.namespace !== component.namespace;

/** Keys of a pool's children. With an existing picker, the keys of the picker's objects are undefined. */
export const poolNodeKeys = {
  /** Permissions of the picker to read LLMServices in the other namespaces that the pool admits. */
  readers: {
    roles: all(["Role"], elsewhere),
    roleBindings: all(["RoleBinding"], elsewhere),
  },
  /** Endpoint picker. */
  picker: pickerNodeKeys,
  /** InferencePool. */
  pool: one("InferencePool"),
  /** Further objects that the gateway needs, by `gateway.type`. */
  gatewayObjects: all(gatewayKindNames),
  /** Object of kind LLMServerPool that contains the status. Undefined for an InferencePool. */
  statusObject: one("LLMServerPool"),
} as const;

/** Resources of a pool, by purpose. */
export type PoolNodes = NodesOf<typeof poolNodeKeys>;
