import { hash, randomUUID } from "node:crypto";
import type { Endpoint } from "../../../scheduling/endpoint.ts";
import { type ApiCode, RequestError } from "../../../scheduling/request-error.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { KeptState, Payload } from "../payload/payload.ts";

/**
 * Responses and conversations that a model server keeps in its memory. Their ids end in a mark that names the endpoint,
 * so that every replica of the picker finds it, also after a restart. The picker chooses the id of a response
 * (`request_id`, which vLLM and SGLang take over as the id), and adds the mark to the id of a conversation in the answer.
 */

/** `_at_`, a hash of the pod's uid, and the rank of the pod's port. */
const mark = /_at_([0-9a-f]{12})-(\d{1,2})$/;

const podHash = (uid: string): string => hash("sha256", uid, "hex").slice(0, 12);

const marks = new WeakMap<Endpoint, string>();

/** The mark of an endpoint; another pod of the same name has another one, since it has not got the state. */
export function markOf(endpoint: Endpoint): string {
  const known = marks.get(endpoint);
  if (known !== undefined) return known;
  const made = `_at_${podHash(endpoint.podUid)}-${endpoint.rank}`;
  marks.set(endpoint, made);
  return made;
}

/** An id for a response of an endpoint. */
export const newResponseId = (endpoint: Endpoint): string =>
  `resp_${randomUUID().replaceAll("-", "")}${markOf(endpoint)}`;

/** An id as the model server knows it: that of a conversation without the mark, which the picker has added. */
export const serversId = ({ kind, id }: KeptState): string =>
  kind === "conversation" ? id.replace(mark, "") : id;

/** Characters of the longest id that is looked at: refusals repeat it. */
const longestId = 256;

/** The state that a request continues or reads, by its path or body; undefined for none. */
export function keptStateOf(path: string | undefined, payload?: Payload): KeptState | undefined {
  const [, kind, id] = /\/(response|conversation)s\/([^/?#]+)/.exec(path ?? "") ?? [];
  const state: KeptState | undefined =
    id === undefined
      ? payload?.continues
      : { kind: kind as KeptState["kind"], id, field: undefined };
  return state !== undefined && state.id.length <= longestId ? state : undefined;
}

/** The path with the id that the model server knows; undefined if that is the path itself. */
export function serversPath(path: string, state: KeptState | undefined): string | undefined {
  if (state === undefined || state.field !== undefined) return undefined;
  const id = serversId(state);
  return id === state.id ? undefined : path.replace(state.id, id);
}

/**
 * Returns the endpoints among some that have a state: one, or none if it is another one. All of them for an id without a
 * mark, such as one that the client chose: the model server knows whether it has it.
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
