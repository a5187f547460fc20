import type { SchedulingRequest } from "./request.ts";

/** Fairness id of requests without a tenant. */
const noTenant = "default-flow";

/**
 * Returns names of the request's client, as far as known: its tenant, and the address of the peer that connected to the
 * gateway. That is the last one in X-Forwarded-For, which clients cannot set.
 */
export function clientsOf({ headers, fairnessId }: SchedulingRequest): readonly string[] {
  const address = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  const hasTenant = fairnessId !== "" && fairnessId !== noTenant;
  if (address === "") return hasTenant ? [`tenant ${fairnessId}`] : [];
  return hasTenant ? [address, `tenant ${fairnessId}`] : [address];
}
