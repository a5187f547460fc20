import { clientGroup } from "../../sdk/rollout/client-group.ts";
import {
  type EndpointResponses,
  firstTokenBin,
  noResponses,
} from "../../sdk/rollout/endpoint-responses.ts";
import type { Attacker, Image, Random, Scenario } from "./scenario.ts";

/** A pod that serves. */
export interface ServingPod {
  readonly uid: string;
  readonly set: string;
  readonly generation: number;
  readonly image: Image;
}

type Counted = {
  -readonly [Key in keyof EndpointResponses]: EndpointResponses[Key] extends readonly number[]
    ? number[]
    : EndpointResponses[Key];
};

/** Responses that honest clients got, without the ones that a picker lost because it restarted before its page was read. */
export interface Honest {
  /** From pods with the next image. */
  responses: number;
  errors: number;
  /** Requests to pods with the next image. */
  requests: number;
  /** From pods with the old image. */
  others: number;
}

/** Requests of a scenario's clients, counted by simulated pickers. */
export class Traffic {
  readonly #scenario: Scenario;
  readonly #random: Random;
  /** Counts by pod, for each picker. */
  readonly #counted: Array<Map<string, Counted>>;
  readonly #processes: string[] = [];
  #restarts = 0;
  /** Responses of pods with the next image since the page of each picker was read. */
  readonly #unread: Array<{ responses: number; errors: number } | undefined> = [];
  readonly honest: Honest = { responses: 0, errors: 0, requests: 0, others: 0 };

  constructor(scenario: Scenario, random: Random) {
    this.#scenario = scenario;
    this.#random = random;
    this.#counted = Array.from({ length: scenario.pickers }, () => new Map());
  }

  restart(picker: number): void {
    const lost = this.#unread[picker];
    this.honest.responses -= lost?.responses ?? 0;
    this.honest.errors -= lost?.errors ?? 0;
    this.#unread[picker] = undefined;
    this.#counted[picker]?.clear();
    this.#restarts += 1;
    this.#processes[picker] = `restart ${this.#restarts}`;
  }

  process(picker: number): string {
    return this.#processes[picker] ?? "first";
  }

  /** Returns the page of a picker: all pods of the pool, also those without requests. */
  page(picker: number, pods: readonly ServingPod[]): EndpointResponses[] {
    this.#unread[picker] = undefined;
    return pods.map((pod) => {
      const { firstTokens, clientResponses, clientErrors, ...rest } = this.#of(picker, pod);
      return {
        ...rest,
        firstTokens: [...firstTokens],
        clientResponses: [...clientResponses],
        clientErrors: [...clientErrors],
      };
    });
  }

  /** Sends the requests of a time to pods. */
  pass(seconds: number, pods: readonly ServingPod[]): void {
    const { clients, attackers, next } = this.#scenario;
    for (const pod of pods)
      for (const [at, perSecond] of clients.entries()) {
        const sent = this.#poisson((perSecond * seconds) / pods.length);
        const errors = pod.image.hangs ? 0 : this.#binomial(sent, pod.image.errors);
        const picker = this.#count(pod, `client ${at}`, sent, errors);
        if (pod.image !== next) this.honest.others += sent;
        else {
          const responses = next.hangs ? 0 : sent;
          this.honest.requests += sent;
          this.honest.responses += responses;
          this.honest.errors += errors;
          const unread = this.#unread[picker] ?? { responses: 0, errors: 0 };
          unread.responses += responses;
          unread.errors += errors;
          this.#unread[picker] = unread;
        }
      }
    for (const attacker of attackers) this.#attack(attacker, seconds, pods);
  }

  #attack(
    { name, perSecond, target, sends }: Attacker,
    seconds: number,
    pods: readonly ServingPod[],
  ): void {
    const isNew = (pod: ServingPod) => pod.image === this.#scenario.next;
    const targets = pods.filter((pod) => target === "all" || (target === "new") === isNew(pod));
    if (sends === "requests it gives up" || sends === "unknown models") return;
    for (const pod of targets) {
      const sent = this.#poisson((perSecond * seconds) / targets.length);
      this.#count(pod, name, sent, sends === "errors" && !pod.image.hangs ? sent : 0);
    }
  }

  /** Counts requests of a client at a random picker, and returns which. */
  #count(pod: ServingPod, client: string, sent: number, errors: number): number {
    const picker = Math.floor(this.#random() * this.#counted.length);
    if (sent === 0) return picker;
    const counted = this.#of(picker, pod);
    const group = clientGroup(client, undefined);
    counted.requests += sent;
    if (pod.image.hangs) return picker;
    counted.responses += sent;
    counted.errors += errors;
    add(counted.clientResponses, group, sent);
    add(counted.clientErrors, group, errors);
    // Half of the responses are as slow as the median or slower.
    const slower = this.#binomial(sent - errors, 0.5);
    add(counted.firstTokens, firstTokenBin(pod.image.firstToken * 0.8), sent - errors - slower);
    add(counted.firstTokens, firstTokenBin(pod.image.firstToken * 1.3), slower);
    return picker;
  }

  #of(picker: number, { uid, set, generation }: ServingPod): Counted {
    const pods = this.#counted[picker] as Map<string, Counted>;
    let counted = pods.get(uid);
    if (counted === undefined) {
      counted = structuredClone({
        ...noResponses,
        ...{ uid, set, revision: String(generation) },
      }) as Counted;
      pods.set(uid, counted);
    }
    return counted;
  }

  #poisson(mean: number): number {
    if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.#random(); product > limit; product *= this.#random()) count += 1;
    return count;
  }

  #binomial(trials: number, share: number): number {
    if (share === 0 || share === 1) return trials * share;
    const mean = trials * share;
    if (trials < 60 || mean < 20) {
      if (trials >= 60) return Math.min(trials, this.#poisson(mean));
      let count = 0;
      for (let trial = 0; trial < trials; trial += 1) count += Number(this.#random() < share);
      return count;
    }
    const spread = Math.sqrt(mean * (1 - share)) * this.#normal();
    return Math.min(trials, Math.max(0, Math.round(mean + spread)));
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}

function add(counts: number[], at: number, count: number): void {
  counts[at] = (counts[at] as number) + count;
}
