import {
  type EndpointResponses,
  noResponses,
  type ResponsesPage,
  sumOf,
} from "../../sdk/rollout/endpoint-responses.ts";
import { type ErrorJudgement, judgeErrors } from "../../sdk/rollout/error-judgement.ts";
import {
  type GateCounts,
  gateState,
  latencyFailure,
  type SinceUpdate,
} from "../../sdk/rollout/gate.ts";
import { PageHistory, type Rise } from "../../sdk/rollout/page-history.ts";
import type { SetPod } from "../../sdk/rollout/set-pods.ts";
import type { RolloutGate } from "../../sdk/spec/service-rollout.ts";
import { PodVerdict } from "./pod-verdict.ts";

/** Counts of the pods of a picker. */
export interface PickerPages {
  /** Pages by the name of the picker's pod. */
  readonly pages: ReadonlyMap<string, ResponsesPage>;
  /** Reasons why ready pods cannot be read, or why there is no ready pod. */
  readonly unread: readonly string[];
}

/** The pages of a picker, and the pods whose responses count. */
export interface GateInputs extends PickerPages {
  readonly pods: readonly SetPod[];
}

/** Compares the replicas with the new template with the other replicas, by their responses during a rollout. */
export class GateWatch {
  readonly #gate: RolloutGate;
  readonly #read: () => Promise<GateInputs>;
  readonly #unclearMs: number;
  /** Why the new replicas cannot be judged, and since when. */
  #unclear: { readonly reason: string; readonly since: number } | undefined;
  readonly #history = new PageHistory();
  /** Templates of the pods before the first update, by LeaderWorkerSet. */
  #before: ReadonlySet<string> | undefined;
  #judgement: ErrorJudgement = { responses: 0, isSuspicious: false };
  #counts: GateCounts = { updated: noResponses, others: noResponses, before: noResponses };

  /** @param unclearMs time in ms for which the gate may be unable to judge, such as while a picker is unreadable */
  constructor(gate: RolloutGate, read: () => Promise<GateInputs>, unclearMs: number) {
    this.#gate = gate;
    this.#read = read;
    this.#unclearMs = unclearMs;
  }

  /** Why the new replicas cannot be judged; undefined if they can. The gate is closed meanwhile. */
  get unclear(): string | undefined {
    return this.#unclear?.reason;
  }

  /**
   * Adds the responses since the last call. The first call that reads every pod of the picker sets which templates are
   * not new.
   *
   * @throws PodVerdict if the new template fails the gate, and Error if the gate cannot judge it for too long
   */
  async check(now: number): Promise<void> {
    const { pages, pods, ...read } = await this.#read();
    const unread = [...read.unread, ...missing(pages, pods)];
    if (this.#before === undefined && unread.length > 0) return this.#note(unread, now);
    const own = new Set(pods.map(({ uid }) => uid));
    const rises = [...pages].flatMap(([picker, page]) => {
      const accepted = this.#history.accept(picker, page, own);
      if (accepted === undefined) unread.push(`${picker}: its page is older than an earlier one`);
      return accepted ?? [];
    });
    const before = new Set(rises.map(({ of }) => templateOf(of)));
    for (const rise of rises) this.#add(rise);
    this.#before ??= before;
    this.#judgement = judgeErrors(this.#gate, this.#counts);
    const { unclear, failure = latencyFailure(this.#gate, this.#counts) } = this.#judgement;
    if (failure !== undefined) throw new PodVerdict(failure);
    this.#note([...unread, ...(unclear === undefined ? [] : [unclear])], now);
  }

  /** Counts since the rollout began. */
  get counts(): SinceUpdate {
    const { updated, others } = this.#counts;
    const { requests, responses } = updated;
    const { responses: evidence, isSuspicious } = this.#judgement;
    return { requests, responses, evidence, others: others.responses, isSuspicious };
  }

  /**
   * Whether the next replica may be updated.
   *
   * @param before `counts` when the last update was complete
   * @throws PodVerdict if only the new replicas begin no response, and Error if no replica does
   */
  isOpen(before: SinceUpdate, waitedMs: number): boolean {
    if (this.#unclear !== undefined) return false;
    const { requests, responses, evidence, others, isSuspicious } = this.counts;
    const since = {
      isSuspicious,
      requests: requests - before.requests,
      responses: responses - before.responses,
      evidence: evidence - before.evidence,
      others: others - before.others,
    };
    const state = gateState(this.#gate, since, waitedMs);
    if (typeof state !== "object") return state === "open";
    throw "failure" in state ? new PodVerdict(state.failure) : new Error(state.unclear);
  }

  #note(reasons: readonly string[], now: number): void {
    if (reasons.length === 0) {
      this.#unclear = undefined;
      return;
    }
    const { since = now } = this.#unclear ?? {};
    this.#unclear = { reason: reasons.join("; "), since };
    if (now - since > this.#unclearMs)
      throw new Error(
        `the gate cannot judge the new replicas for ${Math.round((now - since) / 1000)} s: ${this.#unclear.reason}`,
      );
  }

  #add({ of, counts }: Rise): void {
    const isOther = this.#before?.has(templateOf(of));
    const group = isOther === undefined ? "before" : isOther ? "others" : "updated";
    this.#counts = { ...this.#counts, [group]: sumOf(this.#counts[group], counts) };
  }
}

/** Returns the pods that serve and that pages do not list. Such a picker sends no requests to them. */
const missing = (pages: PickerPages["pages"], pods: readonly SetPod[]): string[] =>
  [...pages].flatMap(([picker, { endpoints }]) => {
    const listed = new Set(endpoints.map(({ uid }) => uid));
    const lacks = pods.filter(({ serves, uid }) => serves && !listed.has(uid));
    return lacks.map(({ name }) => `${picker} does not list ${name}`);
  });

const templateOf = ({ set, revision }: EndpointResponses): string => `${set}/${revision}`;
