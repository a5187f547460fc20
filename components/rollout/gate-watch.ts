import {
  type EndpointResponses,
  noResponses,
  type ResponseCounts,
  since,
  sumOf,
} from "../../sdk/rollout/endpoint-responses.ts";
import {
  type GateCounts,
  gateFailure,
  gateState,
  type SinceUpdate,
} from "../../sdk/rollout/gate.ts";
import type { RolloutGate } from "../../sdk/spec/service-rollout.ts";
import { PodVerdict } from "./pod-verdict.ts";

/** Counts of the pods of a picker. */
export interface PickerPages {
  /** Responses of model servers by the name of the picker's pod that counted them. */
  readonly pages: ReadonlyMap<string, readonly EndpointResponses[]>;
  /** Why a ready pod cannot be read, or why there is none. */
  readonly unread: readonly string[];
}

/** Compares the replicas with the new template with the other replicas, by their responses during a rollout. */
export class GateWatch {
  readonly #gate: RolloutGate;
  readonly #read: () => Promise<PickerPages>;
  readonly #unreadMs: number;
  /** Why counts are missing, and since when. */
  #unread: { readonly reason: string; readonly since: number } | undefined;
  /** Latest counts, by picker and pod. */
  #latest = new Map<string, ResponseCounts>();
  /** Templates of the pods before the first update, by LeaderWorkerSet. */
  #before: ReadonlySet<string> | undefined;
  #counts: GateCounts = { updated: noResponses, others: noResponses, before: noResponses };

  /** @param unreadMs time in ms for which a ready pod of the picker may be unreadable */
  constructor(gate: RolloutGate, read: () => Promise<PickerPages>, unreadMs: number) {
    this.#gate = gate;
    this.#read = read;
    this.#unreadMs = unreadMs;
  }

  /** Why the counts are incomplete; undefined if they are complete. The gate is closed meanwhile. */
  get unread(): string | undefined {
    return this.#unread?.reason;
  }

  /**
   * Adds the responses since the last call. The first call that reads every pod of the picker sets which templates are
   * not new.
   *
   * @throws PodVerdict if the new template fails the gate, and Error if the counts stay incomplete
   */
  async check(now = Date.now()): Promise<void> {
    const { pages, unread } = await this.#read();
    this.#note(unread, now);
    if (this.#before === undefined && unread.length > 0) return;
    const all = [...pages].flatMap(([picker, endpoints]) =>
      endpoints.map((counts) => ({ key: `${picker}/${counts.uid}`, counts })),
    );
    const latest = new Map(all.map(({ key, counts }) => [key, counts]));
    if (this.#before === undefined) {
      this.#before = new Set(all.map(({ counts }) => templateOf(counts)));
      const before = all.reduce((sum, { counts }) => sumOf(sum, counts), noResponses);
      this.#counts = { ...this.#counts, before };
    } else for (const { key, counts } of all) this.#add(counts, this.#latest.get(key));
    this.#latest = latest;
    const failure = gateFailure(this.#gate, this.#counts);
    if (failure !== undefined) throw new PodVerdict(failure);
  }

  /** Requests and responses of replicas with the new template. */
  get updated(): SinceUpdate {
    return this.#counts.updated;
  }

  /**
   * Whether the next replica may be updated.
   *
   * @param before `updated` when the last update was complete
   * @throws PodVerdict if the new replicas begin no response
   */
  isOpen(before: SinceUpdate, waitedMs: number): boolean {
    if (this.#unread !== undefined) return false;
    const { requests, responses } = this.updated;
    const since = {
      requests: requests - before.requests,
      responses: responses - before.responses,
    };
    const state = gateState(this.#gate, since, waitedMs);
    if (typeof state === "object") throw new PodVerdict(state.failure);
    return state === "open";
  }

  #note(unread: readonly string[], now: number): void {
    if (unread.length === 0) {
      this.#unread = undefined;
      return;
    }
    const { since = now } = this.#unread ?? {};
    this.#unread = { reason: unread.join("; "), since };
    if (now - since > this.#unreadMs)
      throw new Error(
        `the gate cannot read the picker's responses for ${Math.round((now - since) / 1000)} s: ${this.#unread.reason}`,
      );
  }

  #add(now: EndpointResponses, earlier: ResponseCounts = noResponses): void {
    const group = this.#before?.has(templateOf(now)) ? "others" : "updated";
    this.#counts = { ...this.#counts, [group]: sumOf(this.#counts[group], since(earlier, now)) };
  }
}

const templateOf = ({ set, revision }: EndpointResponses): string => `${set}/${revision}`;
