import { setTimeout } from "node:timers/promises";
import { ApiError, NoAnswerError } from "../../kubernetes/api/api-error.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { nextUpdates } from "../../sdk/rollout/next-update.ts";
import { type PlannedSet, type SetState, setStateOf } from "../../sdk/rollout/set-state.ts";
import type { RolloutGate } from "../../sdk/spec/service-rollout.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { type GateInputs, GateWatch } from "./gate-watch.ts";
import { PodVerdict } from "./pod-verdict.ts";

export interface RolloutOptions {
  /** The service's LeaderWorkerSets, in the order of their updates. */
  readonly sets: readonly PlannedSet[];
  readonly cluster: () => Promise<ClusterAccess>;
  /** Limits for the responses of updated replicas, and the name of the picker that counts them. Default: none. */
  readonly gate?: { readonly limits: RolloutGate; readonly picker: string };
  /** Whether updated replicas get their previous template again after a failure. Default false. */
  readonly rollsBack?: boolean;
  /**
   * Receives messages about the progress: temporary messages about a wait, and lasting messages. Consecutive equal
   * messages are reported once.
   */
  readonly report: (message: string, isTemporary: boolean) => void;
  /** Time between two reads of the cluster, in ms. Default 2,000. */
  readonly pollMs?: number;
  /**
   * Time in ms within which a set must settle after its update, and within which the other sets must settle before it.
   * Default 1 hour.
   */
  readonly settleMs?: number;
  /** Time within which an update that may begin must be in the cluster, in ms. Default 2 minutes. */
  readonly writeMs?: number;
  /** Time for which pods of a set must fail before the rollout ends, in ms. Default 30 s. */
  readonly failureMs?: number;
  /** Default: the clock of the process. */
  readonly clock?: RolloutClock;
  /**
   * Time in ms for which a read waits for an API server, and for which the gate may be unable to judge. Default 10
   * minutes.
   */
  readonly outageMs?: number;
}

/** The time of a rollout. */
export interface RolloutClock {
  /** Current time in ms. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/** Progress of a set that the operation creates or updates. */
type SetProgress =
  | { readonly stage: "created" }
  | { readonly stage: "waiting"; readonly since: number; begin(): void; fail(error: Error): void }
  | {
      readonly stage: "updating";
      /** Generation of the set when its update began. */
      readonly generation: number;
      readonly since: number;
      /** Whether a group was ready when the update began. */
      readonly served: boolean;
      /** Whether the engine has written the update. */
      isWritten: boolean;
    };

/** A set before its update, as Pulumi's state contains it. */
export interface PreviousSet {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Orders the updates that restart pods of one service, across the resources of one operation: one replica is away at a
 * time, or the number that the role's rollout allows. Each update asks before it begins and after it is written. If an
 * update fails, the rollout ends, the other replicas keep their pods, and updated replicas get their previous template
 * again if `rollsBack` is set. First creations, deletions and updates that restart no pod do not wait.
 */
export class Rollout {
  readonly #options: Required<Omit<RolloutOptions, "gate">>;
  readonly #gate: GateWatch | undefined;
  readonly #clock: RolloutClock;
  #namespace = "";
  /** Written updates of sets that served before, in their order. */
  readonly #written = new Map<string, PreviousSet | undefined>();
  readonly #progress = new Map<string, SetProgress>();
  #cluster: Promise<ClusterAccess> | undefined;
  #ordering: Promise<void> | undefined;
  #failure: Promise<{ readonly error: Error; readonly outcome: string }> | undefined;
  #rollsBack = false;
  #reported = "";

  constructor({ gate, ...options }: RolloutOptions) {
    const hour = 3_600_000;
    this.#gate =
      gate &&
      new GateWatch(
        gate.limits,
        () => this.#pages(gate.picker),
        options.outageMs ?? defaultOutageMs,
      );
    this.#options = {
      rollsBack: false,
      pollMs: 2_000,
      settleMs: hour,
      writeMs: 120_000,
      failureMs: 30_000,
      outageMs: defaultOutageMs,
      clock: { now: () => Date.now(), sleep: (ms) => setTimeout(ms) },
      ...options,
    };
    this.#clock = this.#options.clock;
  }

  /** Notes a set that the operation creates. */
  created(name: string): void {
    this.#progress.set(name, { stage: "created" });
  }

  /**
   * Resolves when the update of a set may begin.
   *
   * @throws Error if the plan has no such set
   */
  async begin(name: string, namespace: string): Promise<void> {
    const names = this.#options.sets.map((set) => set.name);
    if (!names.includes(name))
      throw new Error(
        `no LeaderWorkerSet named "${name}" in the rollout. Planned: ${names.join(", ")}.`,
      );
    if (this.#failure !== undefined) throw (await this.#failure).error;
    this.#namespace = namespace;
    const since = this.#clock.now();
    await new Promise<void>((begin, fail) => {
      this.#progress.set(name, { stage: "waiting", since, begin, fail });
      this.#ordering ??= this.#order().finally(() => {
        this.#ordering = undefined;
      });
    });
  }

  /**
   * Resolves when every replica of an updated set is ready again, and the set has answered the number of requests that
   * the gate requires. A set that did not serve before is not awaited here, because its pods may wait for GPUs; the
   * updates of sets that serve wait for it.
   *
   * @param previous the set before its update, which a rollback restores
   */
  async end(name: string, previous?: PreviousSet): Promise<void> {
    const began = this.#clock.now();
    const updating = this.#at("updating").get(name);
    if (updating?.served === false) {
      this.#progress.delete(name);
      return;
    }
    this.#written.set(name, previous);
    if (updating !== undefined) updating.isWritten = true;
    try {
      await this.#settled(name);
      const seconds = Math.round((this.#clock.now() - began) / 1000);
      this.#report(`${name} serves again after ${seconds} s`, false);
      await this.#passesGate(name);
    } catch (error) {
      throw await this.#fail(error, true);
    } finally {
      this.#progress.delete(name);
    }
  }

  async #settled(name: string, isRollback = false): Promise<void> {
    const { settleMs, pollMs } = this.#options;
    const began = this.#clock.now();
    const failing = new FailingPods(this.#options.failureMs);
    for (;;) {
      const state = (await this.#states()).get(name);
      if (state === undefined) throw new Error(`LeaderWorkerSet ${name} was deleted meanwhile`);
      if (!isRollback) await this.#gate?.check(this.#clock.now());
      if (state.isSettled) return;
      const failures = await this.#failures([name]);
      const failure = failing.observe(failures, this.#clock.now());
      if (failure !== undefined) throw new PodVerdict(`${name} does not start: ${failure}`);
      if (this.#clock.now() - began > settleMs)
        throw new PodVerdict(`${name} is not ready after ${settleMs / 1000} s: ${readyOf(state)}`);
      this.#report(`waiting for ${name}: ${readyOf(state)}`, true);
      await this.#clock.sleep(pollMs);
    }
  }

  /** Resolves when the updated replicas have answered enough requests. */
  async #passesGate(name: string): Promise<void> {
    const gate = this.#gate;
    const set = this.#options.sets.find((each) => each.name === name);
    if (gate === undefined || set?.answersRequests === false) return;
    const began = this.#clock.now();
    const before = gate.counts;
    const responses = () => gate.counts.evidence - before.evidence;
    while (!gate.isOpen(before, this.#clock.now() - began)) {
      const what = gate.unclear ?? `responses of ${name}: ${responses()}`;
      this.#report(`waiting for ${what}`, true);
      await this.#clock.sleep(this.#options.pollMs);
      await gate.check(this.#clock.now());
    }
    this.#report(`${name}: the gate is open after ${responses()} responses`, false);
  }

  /** Lets waiting updates begin until no update waits. */
  async #order(): Promise<void> {
    const failing = new FailingPods(this.#options.failureMs);
    try {
      await this.#baseline();
      while (this.#at("waiting").size > 0) {
        const sets = await this.#states();
        this.#assertWritten(sets);
        const waiting = this.#at("waiting");
        const { begin, waitsFor } = nextUpdates({
          planned: this.#options.sets,
          sets,
          waiting: this.#options.sets.filter(({ name }) => waiting.has(name)),
          updating: this.#at("updating"),
          created: this.#at("created"),
        });
        for (const name of begin) this.#begin(name, sets.get(name));
        if (begin.length > 0) continue;
        await this.#assertSettling(waitsFor, sets, failing);
        await this.#clock.sleep(this.#options.pollMs);
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Resolves when the gate has counted the responses of every replica before the first update. */
  async #baseline(): Promise<void> {
    await this.#gate?.check(this.#clock.now());
    while (this.#gate?.unclear !== undefined) {
      this.#report(`waiting for ${this.#gate.unclear}`, true);
      await this.#clock.sleep(this.#options.pollMs);
      await this.#gate.check(this.#clock.now());
    }
  }

  #begin(name: string, state: SetState | undefined): void {
    const waiting = this.#at("waiting").get(name);
    const { generation = 0, ready = 0 } = state ?? {};
    const began = { generation, since: this.#clock.now(), served: ready > 0, isWritten: false };
    this.#progress.set(name, { stage: "updating", ...began });
    waiting?.begin();
  }

  /**
   * Throws if the update of a set failed: the engine does not report that. An update that an interrupted operation has
   * already written is written again without a new generation.
   */
  #assertWritten(sets: ReadonlyMap<string, SetState>): void {
    for (const [name, { generation, since, isWritten }] of this.#at("updating")) {
      if (isWritten || (sets.get(name)?.generation ?? 0) > generation) continue;
      if (this.#clock.now() - since > this.#options.writeMs)
        throw new Error(`the update of ${name} failed`);
    }
  }

  /**
   * Throws if a set for which updates wait, and which is not being updated itself, fails or does not become ready in
   * time.
   */
  async #assertSettling(
    waitsFor: readonly string[],
    sets: ReadonlyMap<string, SetState>,
    failing: FailingPods,
  ): Promise<void> {
    const others = waitsFor.filter((name) => !this.#at("updating").has(name));
    if (others.length === 0) return;
    const list = others
      .map((name) => `${name} (${readyOf(sets.get(name) as SetState)})`)
      .join(", ");
    this.#report(
      `waiting for ${list}, so that no more replicas are away than the rollout allows`,
      true,
    );
    const failure = failing.observe(await this.#failures(others), this.#clock.now());
    // The CLI may not have begun the update that corrects the set, because waiting updates occupy all its workers.
    const Failure = others.some((name) => this.#written.has(name)) ? PodVerdict : Error;
    if (failure !== undefined)
      throw new Failure(
        `${list} must be ready first: ${failure}. If this update corrects it, raise the CLI's --parallel above the number of replicas`,
      );
    const since = Math.min(...[...this.#at("waiting").values()].map((each) => each.since));
    if (this.#clock.now() - since > this.#options.settleMs)
      throw new Error(`not ready in time: ${list}`);
  }

  /**
   * Ends the rollout: waiting updates fail, and later ones too. After a verdict about pods, updated replicas get their
   * previous template again if `rollsBack` is set; an update that fails later joins this rollback. Any other failure,
   * such as an outage, leaves them: the next `pulumi up` continues.
   *
   * @returns the error for the update that failed, or for the waiting ones
   */
  async #fail(failure: unknown, isOwn = false): Promise<Error> {
    this.#rollsBack ||= this.#options.rollsBack && failure instanceof PodVerdict;
    this.#failure ??= this.#stop(messageOf(failure));
    const stopped = await this.#failure;
    if (!isOwn) return stopped.error;
    const outcome = `${stopped.outcome}${await this.#rollBack()}`;
    return new Error([messageOf(failure), outcome].filter(Boolean).join(". "));
  }

  async #stop(reason: string): Promise<{ error: Error; outcome: string }> {
    const outcome = await this.#rollBack();
    const texts = [
      `the rollout stopped: ${reason}`,
      ...(outcome === "" ? [] : [outcome]),
      "This replica keeps its pods",
      "Correct the cause and run `pulumi up` again.",
    ];
    const error = new Error(texts.join(". "));
    for (const [name, { fail }] of this.#at("waiting")) {
      this.#progress.delete(name);
      fail(error);
    }
    return { error, outcome };
  }

  /** Gives updated sets their previous template again, one after the other, the latest first. Returns what it did. */
  async #rollBack(): Promise<string> {
    const names = this.#rollsBack ? [...this.#written.keys()].reverse() : [];
    const done: string[] = [];
    for (const name of names) {
      const previous = this.#written.get(name);
      this.#written.delete(name);
      if (previous === undefined) continue;
      this.#report(`${name} gets its previous template again`, false);
      try {
        await this.#read((access) => access.restore(this.#namespace, name, previous));
        await this.#settled(name, true);
      } catch (error) {
        return `The rollback stopped at ${name}: ${messageOf(error)}`;
      }
      done.push(name);
    }
    if (done.length === 0) return "";
    return `${done.join(", ")} ${done.length === 1 ? "has its" : "have their"} previous template again, although Pulumi's state contains the new one`;
  }

  /** Returns the sets at a stage, by name. */
  #at<S extends SetProgress["stage"]>(stage: S) {
    type AtStage = [name: string, set: SetProgress & { stage: S }];
    return new Map([...this.#progress].filter((each): each is AtStage => each[1].stage === stage));
  }

  #report(message: string, isTemporary: boolean): void {
    if (message === this.#reported) return;
    this.#reported = message;
    this.#options.report(message, isTemporary);
  }

  async #states(): Promise<Map<string, SetState>> {
    const own = new Set(this.#options.sets.map(({ name }) => name));
    const live = await this.#read((access) => access.sets(this.#namespace));
    const states = live.map(setStateOf).filter(({ name }) => own.has(name));
    return new Map(states.map((state) => [state.name, state]));
  }

  /** Returns the pages of the picker, and the pods whose responses count. */
  async #pages(picker: string): Promise<GateInputs> {
    const answering = this.#options.sets.filter(({ answersRequests }) => answersRequests);
    const names = answering.map(({ name }) => name);
    // The pages are read last, because pickers list a pod after it is ready.
    const pods = await this.#read((access) => access.pods(this.#namespace, names));
    const pages = await this.#read((access) => access.responses(this.#namespace, picker));
    return { ...pages, pods };
  }

  /** Returns why pods of sets do not run, such as `qwen-0: ImagePullBackOff: image vllm:1`. */
  async #failures(sets: readonly string[]): Promise<string[]> {
    const pods = await this.#read((access) => access.pods(this.#namespace, sets));
    return pods.flatMap(({ name, failure }) =>
      failure === undefined ? [] : `${name}: ${failure}`,
    );
  }

  /** Calls the API server, and waits through an outage of it. Each call may be repeated. */
  async #read<T>(call: (access: ClusterAccess) => Promise<T>): Promise<T> {
    const began = this.#clock.now();
    for (;;) {
      try {
        return await call(await this.#access());
      } catch (error) {
        if (!isOutage(error) || this.#clock.now() - began > this.#options.outageMs) throw error;
        this.#report(`waiting for the API server: ${messageOf(error)}`, true);
        await this.#clock.sleep(this.#options.pollMs);
      }
    }
  }

  #access(): Promise<ClusterAccess> {
    this.#cluster ??= this.#options.cluster();
    return this.#cluster;
  }
}

const readyOf = ({ ready, wanted }: SetState): string => `${ready} of ${wanted} replicas ready`;

const defaultOutageMs = 600_000;

/** Whether a request failed for a reason that ends by itself: no response, or a server that cannot respond now. */
const isOutage = (error: unknown): boolean =>
  error instanceof NoAnswerError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Pods that fail for longer than a while. A first failure may be a registry that is busy. */
class FailingPods {
  readonly #forMs: number;
  #since: number | undefined;

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** Returns the failures once pods have failed for long enough. */
  observe(failures: readonly string[], now: number): string | undefined {
    if (failures.length === 0) {
      this.#since = undefined;
      return undefined;
    }
    this.#since ??= now;
    return now - this.#since >= this.#forMs ? failures.join("; ") : undefined;
  }
}
