import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { all, type NodesOf, one, type Place } from "../places.ts";
import { pickerPlaces } from "../program-places.ts";

const elsewhere: Place["takes"] = (metadata, component) =>
  metadata.namespace !== undefined && metadata.namespace !== component.namespace;

/** Places of a pool's children. With an existing picker, the places of the picker's objects are undefined. */
export const poolPlaces = {
  /** What lets the picker read the LLMServices of the other namespaces that the pool admits. */
  readers: {
    roles: all(["Role"], elsewhere),
    roleBindings: all(["RoleBinding"], elsewhere),
  },
  /** The endpoint picker. */
  picker: pickerPlaces,
  /** The InferencePool. */
  pool: one("InferencePool"),
  /** What the gateway needs beside the pool, by `gateway.type`. */
  gatewayObjects: all(gatewayKindNames),
  /** The pool as an object of its own kind, with its status; an InferencePool has none. */
  statusObject: one("LLMServerPool"),
} as const;

/** Resources of a pool, by purpose. */
export type PoolNodes = NodesOf<typeof poolPlaces>;
