import { RequestError } from "../../../scheduling/request-error.ts";
import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { Payload } from "../payload/payload.ts";

/**
 * What becomes of fields of a client's request that only infrastructure may set: they are taken out, the request is
 * refused, or they go on to the model server.
 */
export const engineFieldPolicies = ["strip", "reject", "allow"] as const;
export type EngineFieldPolicy = (typeof engineFieldPolicies)[number];

/** The rank of a data-parallel engine that is to serve, as vLLM and SGLang read it. */
export const rankHeader = "x-data-parallel-rank";

/**
 * A form's fields are not cut out: it is refused.
 * @throws RequestError BadRequest for the first such field of a request, if the policy refuses them
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
