import type { EngineEvent } from "./event.ts";
import { withResult, withTimes } from "./goal-state.ts";
import { OutcomeUnknownError, type Provider, type ProviderLog } from "./provider.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type {
  CustomTimeouts,
  PendingOperation,
  PendingType,
  ResourceState,
} from "./state/resource-state.ts";
import type { Snapshot } from "./state/snapshot.ts";
import { isProviderType } from "./urn.ts";

export interface StepContext {
  /** Whether to plan only: providers return previews, and the snapshot has no file. */
  preview: boolean;
  snapshot: Snapshot;
  registry: ProviderRegistry;
  emit: (event: EngineEvent) => void;
  /** Returns the former URNs of a resource, which are stored with it. */
  formerUrns: (urn: string) => readonly string[];
}

/** Performs the step of one resource: the write to the cluster, recorded before and after it. */
export class StepExecutor {
  readonly #context: StepContext;

  constructor(context: StepContext) {
    this.#context = context;
  }

  /** Creates an object. An object that it replaces stays in the state, marked, until it is deleted. */
  async create(
    provider: Provider,
    state: ResourceState,
    { old, keepOld }: { old?: ResourceState | undefined; keepOld: boolean },
  ): Promise<ResourceState> {
    const { preview } = this.#context;
    const { urn, inputs = {}, customTimeouts } = state;
    const begun = { ...state, created: new Date().toISOString() };
    const { result, pending } = await this.#write("creating", begun, () =>
      provider.create({
        urn,
        inputs,
        preview,
        log: this.log(urn),
        ...timeout(customTimeouts?.create),
      }),
    );
    const made = withTimes(withResult(state, result), undefined, true);
    await this.#record(made, {
      old,
      pending,
      also: old && keepOld ? [{ ...old, delete: true }] : [],
    });
    return ready(made);
  }

  async update(
    provider: Provider,
    state: ResourceState,
    old: ResourceState,
  ): Promise<ResourceState> {
    const { preview } = this.#context;
    const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = old;
    const { urn, inputs = {}, ignoreChanges = [], customTimeouts } = state;
    const { result, pending } = await this.#write("updating", old, () =>
      provider.update({
        urn,
        id,
        oldInputs,
        oldOutputs,
        inputs,
        ignoreChanges,
        preview,
        log: this.log(urn),
        ...timeout(customTimeouts?.update),
      }),
    );
    const updated = withTimes(withResult(state, { id, ...result }), old, true);
    await this.#record(updated, { old, pending });
    return ready(updated);
  }

  /** Records an unchanged object; the options of its resource may have changed. */
  async same(state: ResourceState, old: ResourceState): Promise<ResourceState> {
    const { id = "", outputs = {} } = old;
    const kept = withTimes(withResult(state, { id, outputs }), old, false);
    if (isProviderType(kept.type)) {
      this.#context.registry.configure(kept.urn, id, kept.type, kept.inputs ?? {});
    }
    await this.#record(kept, { old });
    return kept;
  }

  /** Records a component, which exists only in the state. */
  async component(
    state: ResourceState,
    old: ResourceState | undefined,
    changed: boolean,
  ): Promise<void> {
    const outputs = old?.outputs && { outputs: old.outputs };
    await this.#record(withTimes({ ...state, ...outputs }, old, changed), { old });
  }

  /** Deletes an object and removes it from the state; with `stateOnly`, only removes it. */
  async delete(resource: ResourceState, stateOnly: boolean): Promise<void> {
    const { preview, snapshot, registry } = this.#context;
    const { urn, id = "", type, inputs = {}, outputs = {}, customTimeouts } = resource;
    const managed = resource.custom && !resource.external && !isProviderType(type);
    if (!managed || stateOnly || preview || resource.retainOnDelete) {
      await snapshot.record({ remove: [resource] });
      return;
    }
    const provider = registry.providerFor(type, resource.provider ?? "");
    const { pending } = await this.#write("deleting", resource, () =>
      provider.delete({
        urn,
        id,
        inputs,
        outputs,
        log: this.log(urn),
        ...timeout(customTimeouts?.delete),
      }),
    );
    await snapshot.record({ remove: [resource], ...(pending && { end: pending }) });
  }

  log(urn: string): ProviderLog {
    const { emit } = this.#context;
    return {
      status: (message) => emit({ kind: "status", urn, message }),
      warning: (message) =>
        emit({ kind: "diagnostic", diagnostic: { severity: "warning", message, urn } }),
    };
  }

  async #write<Result>(
    type: PendingType,
    resource: ResourceState,
    write: () => Promise<Result>,
  ): Promise<{ result: Result; pending?: PendingOperation }> {
    const { preview, snapshot } = this.#context;
    // A provider has no object in the cluster, so there is nothing to find after a crash.
    if (preview || isProviderType(resource.type)) return { result: await write() };
    const pending = await snapshot.begin(type, resource);
    try {
      return { result: await write(), pending };
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) await snapshot.record({ end: pending });
      throw error;
    }
  }

  async #record(
    state: ResourceState,
    done: {
      old: ResourceState | undefined;
      pending?: PendingOperation | undefined;
      also?: ResourceState[];
    },
  ): Promise<void> {
    const { old, pending, also = [] } = done;
    const aliases = this.#context.formerUrns(state.urn);
    await this.#context.snapshot.record({
      put: [aliases.length > 0 ? { ...state, aliases: [...aliases] } : state, ...also],
      remove: old && old.urn !== state.urn ? [old] : [],
      ...(pending && { end: pending }),
    });
  }
}

function ready(state: ResourceState): ResourceState {
  const { id, initErrors = [] } = state;
  if (initErrors.length === 0) return state;
  throw new Error(`${id} exists but is not ready: ${initErrors.join("; ")}`);
}

function timeout(seconds: CustomTimeouts["create"]): { timeoutSeconds?: number } {
  return seconds === undefined ? {} : { timeoutSeconds: seconds };
}
