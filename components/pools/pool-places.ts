import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { all, type NodesOf, one, type Place } from "../places.ts";
import { pickerPlaces } from "../program-places.ts";

const elsewhere: Place["takes"] = (metadata, component) =>
  metadata.namespace !== undefined && metadata.namespace !== component.namespace;

/** Places of the children of a pool; those of a picker that is somebody else's are undefined. */
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

/** The resources of a pool, by what they are for. */
export type PoolNodes = NodesOf<typeof poolPlaces>;
