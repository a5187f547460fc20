import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { type Condition, conditionsOf } from "../../../sdk/status/conditions.ts";
import type { ReasonTable } from "../../../sdk/status/reasons.ts";
import { type AppliedVerdict, pluginsAppliedType } from "./applied-condition.ts";
import { ownerPaths, type PluginOwner } from "./plugin-owner.ts";

interface ServiceObject {
  readonly metadata: { readonly resourceVersion: string; readonly generation?: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Reasons of the condition, in the same form as for the kind's other conditions. */
const reasons = {
  [pluginsAppliedType]: {
    True: { PluginsApplied: "No plugin of the service prevents pods." },
    False: {
      PluginFailed: "A plugin prevents a pod.",
      ReadyHookFailed: "A plugin failed on a pod that became ready; its hook is retried.",
    },
  },
} as const satisfies ReasonTable;

/**
 * Writes the condition to the object of an owner, if it exists. The other conditions belong to the status controller
 * and are written as they were read; a write to an object that has changed is refused.
 *
 * @throws ApiError 409 if the object has changed in between; the caller retries
 */
export async function writePluginsCondition(
  client: Pick<KubernetesClient, "request">,
  owner: PluginOwner,
  verdict: AppliedVerdict | undefined,
  now: string,
): Promise<void> {
  for (const path of ownerPaths(owner)) await writeCondition(client, path, verdict, now);
}

async function writeCondition(
  client: Pick<KubernetesClient, "request">,
  path: string,
  verdict: AppliedVerdict | undefined,
  now: string,
): Promise<void> {
  const service = await unlessAbsent(client.request<ServiceObject>("GET", path));
  if (service === undefined) return;
  const { resourceVersion, generation } = service.metadata;
  const previous = service.status?.conditions ?? [];
  const findings =
    verdict === undefined ? [] : ([{ type: pluginsAppliedType, ...verdict }] as const);
  const own = conditionsOf(reasons, findings, previous, { now, generation });
  // Keeps the order, so that the two writers do not move each other's conditions.
  const conditions = [
    ...previous.flatMap(({ type }) => own.filter((condition) => condition.type === type)),
    ...own.filter(({ type }) => previous.every((condition) => condition.type !== type)),
  ];
  if (JSON.stringify(conditions) === JSON.stringify(previous)) return;
  await client.request("PATCH", `${path}/status`, {
    contentType: mergePatchType,
    body: { metadata: { resourceVersion }, status: { conditions } },
  });
}
