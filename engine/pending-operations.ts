import { withResult, withTimes } from "./goal-state.ts";
import type { ProviderLog } from "./provider.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type { PendingOperation } from "./state/resource-state.ts";
import type { Snapshot } from "./state/snapshot.ts";

/**
 * Settles the writes that an interrupted operation began: a created object is added to the state, and the object that
 * it replaces is marked for deletion. Updates and deletions are simply repeated if they are still needed.
 */
export async function settlePending(
  snapshot: Snapshot,
  registry: ProviderRegistry,
  logFor: (urn: string) => ProviderLog,
): Promise<void> {
  await Promise.all(
    snapshot.pending.map((operation) =>
      operation.type === "creating"
        ? settleCreate(operation, snapshot, registry, logFor(operation.resource.urn))
        : snapshot.record({ end: operation }),
    ),
  );
}

async function settleCreate(
  operation: PendingOperation,
  snapshot: Snapshot,
  registry: ProviderRegistry,
  log: ProviderLog,
): Promise<void> {
  const { urn, type, provider = "", inputs = {}, created } = operation.resource;
  const since = new Date(created ?? 0);
  const found = await registry
    .providerFor(type, provider)
    .findInterruptedCreate({ urn, inputs, since, log });
  const replaced = snapshot.get(urn);
  await snapshot.record({
    put:
      found === undefined
        ? []
        : [
            withTimes(withResult(operation.resource, found), operation.resource, true),
            ...(replaced ? [{ ...replaced, delete: true }] : []),
          ],
    end: operation,
  });
}
