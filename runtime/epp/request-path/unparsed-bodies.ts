import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { ModelRouting } from "../../../sdk/routing/model-routing.ts";
import type { UnparsedBodies } from "../../../sdk/spec/picker-requests.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import { pathOf } from "./control-headers.ts";
import type { EngineFieldPolicy } from "./engine-fields.ts";

export interface UnparsedBodyOptions {
  /** Default: reject. */
  readonly unparsedBodies?: UnparsedBodies | undefined;
  readonly engineFields: EngineFieldPolicy;
}

/** Whether a request opens a tunnel, such as a WebSocket, whose body never ends. */
export const opensTunnel = (headers: RequestHeaders): boolean =>
  headers.has("upgrade") || headers.get(":method") === "CONNECT";

/**
 * Asserts that a request whose body the picker cannot read bypasses no rule of the pool: its rewrites, its
 * registrations, and the removal of fields that only infrastructure may set. Call it only for a request with a body.
 * @param why reason that the body cannot be read
 * @throws RequestError Forbidden
 */
export function assertNoRules(
  why: string,
  headers: RequestHeaders,
  { pool, routing }: Pick<PoolSnapshot, "pool" | "routing">,
  { unparsedBodies = "reject", engineFields }: UnparsedBodyOptions,
): void {
  if (unparsedBodies === "allow") return;
  const rules = rulesOf(routing, engineFields);
  if (rules.length === 0) return;
  throw new RequestError(
    "Forbidden",
    `the endpoint picker cannot read the body at path ${quoted(pathOf(headers) ?? "unknown")} with content-type ${quoted(headers.get("content-type") ?? "")}: ${why}. Pool ${pool?.namespace}/${pool?.name} has ${rules.join(", ")}, which such a body would bypass. Send JSON (content-type: application/json) or a multipart form, or set unparsedBodies of the pool's endpoint picker to allow (--unparsed-bodies=allow)`,
  );
}

const rulesOf = (
  { registrationRequired, registrations, rewrites }: ModelRouting,
  engineFields: EngineFieldPolicy,
): readonly string[] => [
  ...(registrationRequired || registrations.byModel.size > 0 ? ["registered models"] : []),
  ...(!rewrites.exact.isEmpty || rewrites.generic !== undefined ? ["model rewrites"] : []),
  ...(engineFields === "allow" ? [] : ["fields that clients may not set"]),
];

/** Quotes a client's text, cut to 200 characters. */
const quoted = (text: string) =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
