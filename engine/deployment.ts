import { messageOf } from "../kubernetes/values/records.ts";
import { Analysis } from "./analysis.ts";
import type { Analyzer } from "./analyzer.ts";
import { deleteInOrder } from "./deletion.ts";
import { dependentFinder } from "./dependent-replacements.ts";
import type { Diagnostic, EngineEvent, Step } from "./event.ts";
import type { Goal, ReadGoal } from "./goal.ts";
import { checkedInputs, diffOfGoal } from "./goal-changes.ts";
import { goalState, readState, withResult, withTimes } from "./goal-state.ts";
import { OldResources } from "./old-resources.ts";
import { settlePending } from "./pending-operations.ts";
import { formatPath } from "./property-path.ts";
import { hidingSecrets, type PropertyMap, sameValue, UNKNOWN } from "./property-value.ts";
import type { Provider, ProviderPlugin } from "./provider.ts";
import { ProviderRegistry, withProviderVersion } from "./provider-registry.ts";
import type { ResourceState } from "./state/resource-state.ts";
import type { Snapshot } from "./state/snapshot.ts";
import { StepExecutor } from "./step-executor.ts";
import { createUrn, isProviderType, parseUrn, providerType } from "./urn.ts";

export interface DeploymentOptions {
  project: string;
  stack: string;
  /** Whether to plan only: nothing is written to the cluster, and the snapshot has no file. */
  preview: boolean;
  /** Whether values that would be read are those in the state, else unknown; for previews. Default false. */
  offline?: boolean;
  snapshot: Snapshot;
  plugins: Readonly<Record<string, ProviderPlugin>>;
  /** Configuration of each package's default provider. */
  packageConfig: (packageName: string) => PropertyMap;
  /** Maximum number of concurrent deletions. */
  parallel: number;
  analyzer?: Analyzer | undefined;
  emit: (event: EngineEvent) => void;
}

export interface Registered {
  urn: string;
  /** Empty for components and while it is unknown. */
  id: string;
  outputs: PropertyMap;
  failed: boolean;
}

/** One operation on a stack: turns registrations into steps as they arrive, and executes them. */
export class Deployment {
  readonly steps: Step[] = [];
  /** The providers of the operation. */
  readonly registry: ProviderRegistry;
  readonly #options: DeploymentOptions;
  readonly #olds: OldResources;
  readonly #execute: StepExecutor;
  readonly #analysis: Analysis;
  readonly #dependentsToReplace: ReturnType<typeof dependentFinder>;
  readonly #replaced = new Set<string>();
  /** Old resources that were deleted early, because a dependency was deleted for its replacement. */
  readonly #deletedEarly = new Set<ResourceState>();
  readonly #defaultProviders = new Map<string, Promise<string>>();
  #failed = false;

  private constructor(options: DeploymentOptions, registry: ProviderRegistry, olds: OldResources) {
    const { preview, snapshot, analyzer, emit } = options;
    this.#options = options;
    this.registry = registry;
    this.#olds = olds;
    const formerUrns = (urn: string) => olds.formerUrns(urn);
    this.#execute = new StepExecutor({ preview, snapshot, registry, emit, formerUrns });
    this.#analysis = new Analysis(analyzer, emit);
    this.#dependentsToReplace = dependentFinder(olds.all, registry);
  }

  /** Begins an operation, and first settles pending writes of an interrupted one. */
  static async begin(options: DeploymentOptions): Promise<Deployment> {
    const { snapshot, plugins, emit } = options;
    // A resource that was deleted for its replacement no longer exists, so it is created like a new one.
    await snapshot.record({ remove: snapshot.resources.filter((r) => r.pendingReplacement) });
    let olds = new OldResources(snapshot.resources);
    const registry = new ProviderRegistry(plugins, {
      before: (urn) => olds.get(urn),
      now: (urn) => snapshot.get(urn),
    });
    await settlePending(snapshot, registry, (urn) => ({
      status: (message) => emit({ kind: "status", urn, message }),
      warning: (message) =>
        emit({ kind: "diagnostic", diagnostic: { severity: "warning", message, urn } }),
    }));
    olds = new OldResources(snapshot.resources);
    return new Deployment(options, registry, olds);
  }

  get failed(): boolean {
    return this.#failed;
  }

  /**
   * Updates one resource to its goal. The result contains the error of a failed step; an invalid registration throws.
   */
  async register(goal: Goal): Promise<Registered> {
    const { urn, old } = this.#claim(goal, goal.aliases);
    if (old !== undefined && old.custom !== goal.custom) {
      throw new Error(
        `${urn} was a ${old.custom ? "custom resource" : "component"} and now is none; rename it`,
      );
    }
    const step: Step = {
      operation: "same",
      urn,
      type: goal.type,
      name: goal.name,
      parent: goal.parent,
      custom: goal.custom,
      ...(old && old.urn !== urn && { formerUrn: old.urn }),
    };
    return this.#attempt(step, () =>
      goal.custom ? this.#custom(step, goal, old) : this.#component(step, goal, old),
    );
  }

  warn(message: string): void {
    this.#options.emit({ kind: "diagnostic", diagnostic: { severity: "warning", message } });
  }

  /** Records the outputs that a component, or the stack, registers at its end. */
  async registerOutputs(urn: string, outputs: PropertyMap): Promise<void> {
    const state = this.#options.snapshot.get(urn);
    if (state === undefined)
      throw new Error(`${urn} registers outputs but is not registered itself`);
    await this.#options.snapshot.record({ put: [{ ...state, outputs }] });
  }

  /** Reads an existing object that is managed elsewhere. */
  async read(goal: ReadGoal): Promise<Registered> {
    const { preview, offline, snapshot } = this.#options;
    const { urn, old } = this.#claim(goal, []);
    const { type, name, parent, id } = goal;
    const step: Step = { operation: "read", urn, type, name, parent, custom: true };
    return this.#attempt(step, async () => {
      if (preview && offline && old?.external && old.id === id) return old;
      if (preview && (offline || id === "" || id === UNKNOWN))
        return readState(urn, goal, goal.inputs);
      const provider = this.registry.providerFor(type, goal.provider);
      const live = await provider.read({ urn, id, log: this.#execute.log(urn) });
      if (live === undefined) throw new Error(`${type} ${JSON.stringify(id)} does not exist`);
      const { initErrors: _notOurs, ...result } = live;
      const read = withResult(readState(urn, goal, live.inputs), result);
      const state = withTimes(read, old, !sameValue(old?.outputs, read.outputs));
      await snapshot.record({ put: [state] });
      return state;
    });
  }

  /** Returns the reference of a package's default provider, which is registered when it is first needed. */
  defaultProvider(packageName: string, version: string): Promise<string> {
    const name = version === "" ? "default" : `default_${version.replaceAll(".", "_")}`;
    const key = `${packageName} ${name}`;
    const known =
      this.#defaultProviders.get(key) ?? this.#registerDefault(packageName, name, version);
    this.#defaultProviders.set(key, known);
    return known;
  }

  /** Deletes resources that were replaced or are no longer registered. After a failure, nothing is deleted. */
  async finish(): Promise<void> {
    const { snapshot, parallel } = this.#options;
    if (this.#failed) return;
    const isWanted = ({ urn }: ResourceState) => this.#olds.isRegistered(urn);
    const wanted = snapshot.resources.filter(isWanted);
    for (const diagnostic of await this.#analysis.ofStack(wanted)) {
      this.#options.emit({ kind: "diagnostic", diagnostic });
      this.#failed ||= diagnostic.severity === "error";
    }
    if (this.#failed) return;
    for (const old of this.#deletedEarly) if (!isWanted(old)) this.#finished(deleteStep(old));

    const doomed = snapshot.resources.filter((r) => r.delete || !isWanted(r));
    const kept = doomed.filter((resource) => resource.protect && !resource.delete);
    for (const resource of kept)
      this.#fail(deleteStep(resource), protectedError(resource.urn, "deleted"));
    if (this.#failed) return;
    const gone = new Set([...doomed, ...this.#deletedEarly].map(({ urn }) => urn));
    await deleteInOrder({
      doomed,
      parallel,
      deleteResource: (resource) => {
        const goesWith = resource.deletedWith !== undefined && gone.has(resource.deletedWith);
        return this.#delete(resource, goesWith);
      },
    });
  }

  async #component(step: Step, goal: Goal, old: ResourceState | undefined): Promise<ResourceState> {
    const state = await this.#analysis.remediated(goalState(step.urn, goal, goal.inputs));
    const changed = !sameValue(old?.inputs ?? {}, state.inputs);
    step.operation = old === undefined ? "create" : changed ? "update" : "same";
    const { type, name, runHooks } = goal;
    const args = { urn: step.urn, id: "", name, type, newInputs: state.inputs ?? {} };
    if (old === undefined) await runHooks?.("beforeCreate", args);
    else if (changed) {
      const { inputs: oldInputs = {}, outputs: oldOutputs = {} } = old;
      await runHooks?.("beforeUpdate", { ...args, oldInputs, oldOutputs });
    }
    await this.#execute.component(state, old, old === undefined || changed);
    // The outputs of a component are only known when it registers them.
    return state;
  }

  async #custom(step: Step, goal: Goal, old: ResourceState | undefined): Promise<ResourceState> {
    const { urn } = step;
    const { preview } = this.#options;
    const log = this.#execute.log(urn);
    const provider = this.registry.providerFor(goal.type, goal.provider);
    const isGone = old !== undefined && this.#deletedEarly.has(old);
    const kept = old === undefined || isGone || old.external ? undefined : old;
    const desired = async (previous: ResourceState | undefined) =>
      this.#analysis.remediated(
        goalState(
          urn,
          goal,
          await checkedInputs(provider, { urn, goal, old: previous, preview, log }),
        ),
      );
    const state = await desired(kept);
    step.newInputs = hidingSecrets(state.inputs ?? {});
    if (kept !== undefined) step.oldInputs = hidingSecrets(kept.inputs ?? {});
    if (kept === undefined) {
      this.#started(step, isGone ? "replace" : "create");
      return this.#create(provider, goal, state, { old, keepOld: false });
    }
    const diff = await diffOfGoal(provider, {
      goal,
      old: kept,
      state,
      registry: this.registry,
      replaced: this.#replaced,
    });
    if (diff.changed.length > 0) step.changedPaths = diff.changed.map(formatPath);
    if (diff.replace.length > 0) {
      step.replacePaths = diff.replace.map(formatPath);
      step.deleteBeforeReplace = goal.deleteBeforeReplace ?? diff.deleteBeforeReplace;
      if (goal.protect && kept.protect) throw protectedError(kept.urn, "replaced");
      this.#started(step, "replace");
      this.#replaced.add(urn);
      if (step.deleteBeforeReplace) await this.#deleteEarly(kept);
      // The new object does not take over the name of the old one.
      const fresh = await desired(undefined);
      return this.#create(provider, goal, fresh, { old, keepOld: !step.deleteBeforeReplace });
    }
    if (diff.changed.length > 0 || (kept.initErrors?.length ?? 0) > 0) {
      this.#started(step, "update");
      return this.#update(provider, goal, state, kept);
    }
    return this.#execute.same(state, kept);
  }

  async #create(
    provider: Provider,
    goal: Goal,
    state: ResourceState,
    replaced: { old: ResourceState | undefined; keepOld: boolean },
  ): Promise<ResourceState> {
    const { type, name, runHooks } = goal;
    const args = { urn: state.urn, name, type, newInputs: state.inputs ?? {} };
    await runHooks?.("beforeCreate", { ...args, id: "" });
    const made = await this.#execute.create(provider, state, replaced);
    const { id = "", outputs: newOutputs = {} } = made;
    await runHooks?.("afterCreate", { ...args, id, newOutputs });
    return made;
  }

  async #update(
    provider: Provider,
    { type, name, runHooks }: Goal,
    state: ResourceState,
    old: ResourceState,
  ): Promise<ResourceState> {
    const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = old;
    const newInputs = state.inputs ?? {};
    const args = { urn: state.urn, id, name, type, oldInputs, newInputs, oldOutputs };
    await runHooks?.("beforeUpdate", args);
    const updated = await this.#execute.update(provider, state, old);
    await runHooks?.("afterUpdate", { ...args, newOutputs: updated.outputs ?? {} });
    return updated;
  }

  /** Deletes an object before its replacement, after the dependents that would be replaced with it. */
  async #deleteEarly(old: ResourceState): Promise<void> {
    const isRegistered = (urn: string) => this.#olds.isRegistered(urn);
    const dependents = await this.#dependentsToReplace(old, isRegistered);
    const going = [...dependents.reverse(), old].filter((r) => !this.#deletedEarly.has(r));
    const kept = going.find((resource) => resource.protect && resource !== old);
    if (kept !== undefined) throw protectedError(kept.urn, `replaced together with ${old.urn}`);
    for (const resource of going) {
      const goesWith = going.some(({ urn }) => urn === resource.deletedWith);
      await this.#execute.delete(resource, goesWith);
      this.#deletedEarly.add(resource);
    }
  }

  async #delete(resource: ResourceState, stateOnly: boolean): Promise<boolean> {
    const step = deleteStep(resource);
    // The deletion of a replaced object, and of a resource that was only read, are not separate steps.
    const isStep = !resource.delete && !resource.external;
    if (isStep) this.#started(step, "delete");
    try {
      await this.#execute.delete(resource, stateOnly);
    } catch (error) {
      this.#fail(step, error);
      return false;
    }
    if (isStep) this.#finished(step);
    return true;
  }

  #claim(goal: Goal | ReadGoal, aliases: Goal["aliases"]) {
    const { project, stack } = this.#options;
    const { type, name, parent } = goal;
    const urn = createUrn(stack, project, parent, type, name);
    return { urn, old: this.#olds.claim(urn, { project, stack, type, name, parent }, aliases) };
  }

  async #registerDefault(packageName: string, name: string, version: string): Promise<string> {
    const config = this.#options.packageConfig(packageName);
    const { urn, id, failed } = await this.register({
      type: providerType(packageName),
      name,
      custom: true,
      parent: "",
      provider: "",
      inputs: withProviderVersion(config, version),
      dependencies: [],
      propertyDependencies: {},
      aliases: [],
      ignoreChanges: [],
      replaceOnChanges: [],
      additionalSecretOutputs: [],
      customTimeouts: {},
      deletedWith: "",
      deleteBeforeReplace: undefined,
      protect: undefined,
      retainOnDelete: undefined,
      replacementTrigger: undefined,
      sourcePosition: "",
    });
    if (failed) throw new Error(`${urn} failed, and with it what it manages`);
    return `${urn}::${id || UNKNOWN}`;
  }

  async #attempt(step: Step, run: () => Promise<ResourceState>): Promise<Registered> {
    try {
      const { id = "", outputs = {} } = await run();
      if (id !== "") step.id = id;
      this.#finished(step);
      return { urn: step.urn, id, outputs, failed: false };
    } catch (error) {
      this.#fail(step, error);
      return { urn: step.urn, id: "", outputs: {}, failed: true };
    }
  }

  #started(step: Step, operation: Step["operation"]): void {
    step.operation = operation;
    if (!isDefaultProvider(step)) this.#options.emit({ kind: "step-started", step });
  }

  #finished(step: Step): void {
    // Default providers are created and deleted with the resources that need them; programs do not declare them.
    if (isDefaultProvider(step)) return;
    this.steps.push(step);
    this.#options.emit({ kind: "step-finished", step });
  }

  #fail(step: Step, error: unknown): void {
    const message = messageOf(error);
    this.#failed = true;
    step.error = message;
    this.#finished(step);
    const diagnostic: Diagnostic = { severity: "error", message, urn: step.urn };
    this.#options.emit({ kind: "diagnostic", diagnostic });
  }
}

function isDefaultProvider({ type, parent }: Step): boolean {
  return parent === "" && isProviderType(type);
}

function deleteStep({ urn, type, custom, id, inputs, parent = "" }: ResourceState): Step {
  const { name } = parseUrn(urn);
  const oldInputs = inputs && { oldInputs: hidingSecrets(inputs) };
  return { operation: "delete", urn, type, name, parent, custom, ...(id && { id }), ...oldInputs };
}

function protectedError(urn: string, what: string): Error {
  return new Error(
    `${urn} is protected and cannot be ${what}; set protect: false and run up first`,
  );
}
