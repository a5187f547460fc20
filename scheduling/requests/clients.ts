import type { SchedulingRequest } from "./request.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Flow of requests without a tenant and without an LLMService, and their fairness id. */
export const defaultFairnessId = "default-flow";

type Request = Pick<SchedulingRequest, "fairnessId">;

/** Returns the tenant of a request; undefined if it has none. */
export const tenantOf = ({ fairnessId }: Request): string | undefined =>
  fairnessId === "" || fairnessId === defaultFairnessId ? undefined : fairnessId;

/** Address of the peer that connected to the gateway: the last one in X-Forwarded-For, which clients cannot set. */
export const peerOf = (headers: RequestHeaders): string | undefined =>
  headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined;

/** Returns names of the request's client, as far as known: the address of its peer, and its tenant. */
export function clientsOf(request: SchedulingRequest): readonly string[] {
  const tenant = tenantOf(request);
  const named = tenant === undefined ? undefined : `tenant ${tenant}`;
  return [peerOf(request.headers), named].filter((name) => name !== undefined);
}
