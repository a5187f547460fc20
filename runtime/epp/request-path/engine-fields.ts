import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import type { Payload } from "../payload/payload.ts";

/**
 * Policy for fields of a client's request that only infrastructure may set: remove the fields, refuse the request, or
 * forward them to the model server.
 */
export const engineFieldPolicies = ["strip", "reject", "allow"] as const;
export type EngineFieldPolicy = (typeof engineFieldPolicies)[number];

/** Header with the rank of the data-parallel engine that is to serve a request, for vLLM and SGLang. */
export const rankHeader = "x-data-parallel-rank";

/**
 * Refuses a form under policy `strip` too, because fields are not cut out of a form.
 * @throws RequestError BadRequest for the first such field of a request, if the policy refuses it
 */
export function assertNoEngineFields(
  policy: EngineFieldPolicy,
  headers: RequestHeaders,
  payload?: Pick<Payload, "engineFields" | "isForm">,
): void {
  const refuses = policy === "reject";
  const field = payload?.engineFields[0];
  if (field !== undefined && (refuses || (policy === "strip" && payload?.isForm)))
    throw refusalOf(`field ${field.name}`);
  if (refuses && headers.has(rankHeader)) throw refusalOf(`header ${rankHeader}`);
}

const refusalOf = (what: string) =>
  new RequestError("BadRequest", `${what} is set by infrastructure only; leave it out`);
