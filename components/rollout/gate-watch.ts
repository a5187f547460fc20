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

/** Responses of model servers by the name of the picker's pod that counted them. */
export type ResponsesByPicker = ReadonlyMap<string, readonly EndpointResponses[]>;

/** Compares the replicas with the new template with the other replicas, by their responses during a rollout. */
export class GateWatch {
  readonly #gate: RolloutGate;
  readonly #read: () => Promise<ResponsesByPicker>;
  /** Latest counts, by picker and pod. */
  #latest = new Map<string, ResponseCounts>();
  /** Templates of the pods before the first update, by LeaderWorkerSet. */
  #before: ReadonlySet<string> | undefined;
  #counts: GateCounts = { updated: noResponses, others: noResponses, before: noResponses };

  constructor(gate: RolloutGate, read: () => Promise<ResponsesByPicker>) {
    this.#gate = gate;
    this.#read = read;
  }

  /**
   * Adds the responses since the last call. The first call sets which templates are not new.
   *
   * @throws Error if the new template fails the gate, or if the pickers cannot be read
   */
  async check(): Promise<void> {
    const pages = await this.#read();
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
    if (failure !== undefined) throw new Error(failure);
  }

  /** Requests and responses of replicas with the new template. */
  get updated(): SinceUpdate {
    return this.#counts.updated;
  }

  /**
   * Whether the next replica may be updated.
   *
   * @param before `updated` when the last update was complete
   * @throws Error if the new replicas begin no response
   */
  isOpen(before: SinceUpdate, waitedMs: number): boolean {
    const { requests, responses } = this.updated;
    const since = {
      requests: requests - before.requests,
      responses: responses - before.responses,
    };
    const state = gateState(this.#gate, since, waitedMs);
    if (typeof state === "object") throw new Error(state.failure);
    return state === "open";
  }

  #add(now: EndpointResponses, earlier: ResponseCounts = noResponses): void {
    const group = this.#before?.has(templateOf(now)) ? "others" : "updated";
    this.#counts = { ...this.#counts, [group]: sumOf(this.#counts[group], since(earlier, now)) };
  }
}

const templateOf = ({ set, revision }: EndpointResponses): string => `${set}/${revision}`;
