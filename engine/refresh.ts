import { messageOf } from "../kubernetes/values/records.ts";
import { changedPaths } from "./changed-paths.ts";
import type { EngineEvent, Step } from "./event.ts";
import { withResult, withTimes } from "./goal-state.ts";
import { formatPath } from "./property-path.ts";
import { sameValue } from "./property-value.ts";
import type { ProviderLog } from "./provider.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type { ResourceState } from "./state/resource-state.ts";
import type { Snapshot } from "./state/snapshot.ts";
import { isProviderType, parseUrn } from "./urn.ts";

export interface RefreshOptions {
  snapshot: Snapshot;
  registry: ProviderRegistry;
  emit: (event: EngineEvent) => void;
}

/** Updates the state to the cluster: changes are recorded, and deleted objects are removed. */
export async function refreshResources({
  snapshot,
  registry,
  emit,
}: RefreshOptions): Promise<Step[]> {
  const refreshed = snapshot.resources.filter(
    (resource) => resource.custom && !isProviderType(resource.type) && !resource.delete,
  );
  return Promise.all(
    refreshed.map(async (resource) => {
      const step = await refreshResource(resource, snapshot, registry, emit);
      emit({ kind: "step-finished", step });
      if (step.error !== undefined) {
        const { urn, error } = step;
        emit({ kind: "diagnostic", diagnostic: { severity: "error", message: error, urn } });
      }
      return step;
    }),
  );
}

async function refreshResource(
  resource: ResourceState,
  snapshot: Snapshot,
  registry: ProviderRegistry,
  emit: (event: EngineEvent) => void,
): Promise<Step> {
  const { urn, type, id = "", inputs = {}, outputs = {}, parent = "", provider = "" } = resource;
  const step: Step = {
    operation: "same",
    urn,
    type,
    name: parseUrn(urn).name,
    parent,
    custom: true,
    id,
  };
  const log: ProviderLog = {
    status: (message) => emit({ kind: "status", urn, message }),
    warning: (message) =>
      emit({ kind: "diagnostic", diagnostic: { severity: "warning", message, urn } }),
  };
  try {
    const live = await registry.providerFor(type, provider).read({ urn, id, inputs, outputs, log });
    if (live === undefined) {
      await snapshot.record({ remove: [resource] });
      return { ...step, operation: "delete" };
    }
    const { initErrors: _former, ...rest } = resource;
    const current = withResult({ ...rest, inputs: live.inputs }, live);
    const drift = changedPaths(inputs, live.inputs).map(({ path }) => formatPath(path));
    const isSame = sameValue(outputs, current.outputs) && drift.length === 0;
    await snapshot.record({ put: [withTimes(current, resource, !isSame)] });
    return drift.length > 0 ? { ...step, operation: "update", changedPaths: drift } : step;
  } catch (error) {
    return { ...step, error: messageOf(error) };
  }
}
