import { hash, randomUUID } from "node:crypto";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { type ApiCode, RequestError } from "../../../scheduling/requests/request-error.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { KeptState, Payload } from "../payload/payload.ts";

/**
 * Responses and conversations that a model server keeps in its memory. Their ids end in a mark that names the endpoint,
 * so that every replica of the picker finds it, even after a restart. The picker chooses the id of a response
 * (`request_id`, which vLLM and SGLang use as the id), and appends the mark to the id of a conversation in the
 * response.
 */

/** `_at_`, a hash of the pod's uid, and the rank of the pod's port. */
const mark = /_at_([0-9a-f]{12})-(\d{1,2})$/;

const podHash = (uid: string): string => hash("sha256", uid, "hex").slice(0, 12);

const marks = new WeakMap<Endpoint, string>();

/** Returns the mark of an endpoint. A new pod of the same name has another mark, because it does not have the state. */
export function markOf(endpoint: Endpoint): string {
  const known = marks.get(endpoint);
  if (known !== undefined) return known;
  const made = `_at_${podHash(endpoint.podUid)}-${endpoint.rank}`;
  marks.set(endpoint, made);
  return made;
}

/** Returns a new id for a response of an endpoint. */
export const newResponseId = (endpoint: Endpoint): string =>
  `resp_${randomUUID().replaceAll("-", "")}${markOf(endpoint)}`;

/** Returns the id that the model server knows: the id of a conversation without the mark that the picker added. */
export const serversId = ({ kind, id }: KeptState): string =>
  kind === "conversation" ? id.replace(mark, "") : id;

/** Longest id that is read, in characters: refusals repeat it. */
const longestId = 256;

/** Returns the state that a request continues or reads, from its path or body; undefined for none. */
export function keptStateOf(path: string | undefined, payload?: Payload): KeptState | undefined {
  const [, kind, id] = /\/(response|conversation)s\/([^/?#]+)/.exec(path ?? "") ?? [];
  const state: KeptState | undefined =
    id === undefined
      ? payload?.continues
      : { kind: kind as KeptState["kind"], id, field: undefined };
  return state !== undefined && state.id.length <= longestId ? state : undefined;
}

/** Returns the path with the id that the model server knows; undefined if the path does not change. */
export function serversPath(path: string, state: KeptState | undefined): string | undefined {
  if (state === undefined || state.field !== undefined) return undefined;
  const id = serversId(state);
  return id === state.id ? undefined : path.replace(state.id, id);
}

/**
 * Returns the endpoints that have a state: one, or none if it is not in `endpoints`. For an id without a mark, such as
 * one that the client chose, returns all of them: the model server knows whether it has the state.
 * @throws RequestError NotFound if the pod that had it is gone, ServiceUnavailable if it is not ready
 */
export function holders(
  endpoints: readonly Endpoint[],
  state: KeptState | undefined,
  { endpoints: all, objects }: Pick<PoolSnapshot, "endpoints" | "objects">,
): readonly Endpoint[] {
  const [found, pod] = mark.exec(state?.id ?? "") ?? [];
  if (state === undefined || found === undefined) return endpoints;
  const has = (endpoint: Endpoint) => markOf(endpoint) === found;
  if (all.some(has)) return endpoints.filter(has);
  if (objects.pods.some(({ uid, deleting }) => !deleting && podHash(uid) === pod))
    throw new RequestError(
      "ServiceUnavailable",
      `the model server that stores ${state.kind} ${state.id} is not ready`,
      { reason: "rejected-no-endpoints" },
    );
  throw gone(state);
}

const codes = {
  previous_response_id: "previous_response_not_found",
  conversation: "conversation_not_found",
} as const satisfies Record<NonNullable<KeptState["field"]>, ApiCode>;

function gone({ kind, id, field }: KeptState): RequestError {
  const apiCode = field === undefined ? (`${kind}_not_found` as const) : codes[field];
  const remedy =
    field === undefined ? "" : `; send the earlier turns as input, and leave ${field} out`;
  return new RequestError(
    "NotFound",
    `${kind} ${id} was not found: the model server that stored it is gone${remedy}`,
    { apiCode },
  );
}
