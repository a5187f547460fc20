import type { RequestHeaders } from "../../../scheduling/request-headers.ts";
import type { ModelRouting } from "../../../sdk/routing/model-routing.ts";
import { defaultFairnessId } from "./control-headers.ts";

export interface FlowSource {
  readonly headers: RequestHeaders;
  /** `namespace/name` of the LLMService that registers the model; undefined where none does. */
  readonly service: string | undefined;
  /** What the client says. */
  readonly fairnessId: string;
}

/**
 * The flow that a request waits in: the tenant of a header that the pool's owner names, for a gateway that sets it; else the
 * LLMService of the model. On a pool with registrations all other requests are one flow, so that no client makes itself
 * many; on other pools clients say.
 */
export function flowOf(
  { headers, service, fairnessId }: FlowSource,
  { registrations }: Pick<ModelRouting, "registrations">,
  tenantHeader: string | undefined,
): string {
  const tenant = tenantHeader === undefined ? undefined : headers.get(tenantHeader);
  if (tenant) return tenant;
  if (service !== undefined) return service;
  return registrations.byModel.size > 0 ? defaultFairnessId : fairnessId;
}
