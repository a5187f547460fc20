import { randomUUID } from "node:crypto";
import { lwsLabel } from "../../../sdk/names.ts";
import {
  type EndpointResponses,
  firstTokenBin,
  noResponses,
  type ResponsesPage,
  unansweredSeconds,
} from "../../../sdk/rollout/endpoint-responses.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { BegunResponse, RequestLabels, SentRequest } from "../observer.ts";

/** Responses of a pod. All ranks of the pod count together. */
type Counted = {
  -readonly [Key in keyof EndpointResponses]: EndpointResponses[Key] extends readonly number[]
    ? number[]
    : EndpointResponses[Key];
};

interface Waiting extends SentRequest {
  readonly since: number;
}

interface View {
  readonly snapshot: () => PoolSnapshot;
  readonly now: () => number;
}

/** Counts the responses of each model server of the pool, for the gates of rollouts. */
export class EndpointResponseCounts {
  readonly #view: View;
  readonly #process = randomUUID();
  readonly #byPod = new Map<string, Counted>();
  /** Dispatched requests whose response has not begun. */
  readonly #waiting = new Map<RequestLabels, Waiting>();

  constructor(view: View) {
    this.#view = view;
  }

  sent(labels: RequestLabels, sent: SentRequest): void {
    this.#waiting.set(labels, { ...sent, since: this.#view.now() });
  }

  began(labels: RequestLabels, response: BegunResponse): void {
    const { served, status, streaming, firstTokenSeconds } = response;
    const sent = this.#waiting.get(labels);
    this.#waiting.delete(labels);
    // A status below 500 is an answer to a request that the client wrote wrongly, such as an unknown model.
    const isRefusal = status >= 400 && status < 500;
    if (served === undefined || sent === undefined || isRefusal) return;
    const counted = this.#of(served.podUid, served.labels);
    counted.requests += 1;
    counted.responses += 1;
    add(counted.clientResponses, sent.client);
    if (status >= 500) {
      counted.errors += 1;
      add(counted.clientErrors, sent.client);
    }
    if (streaming && firstTokenSeconds !== undefined)
      add(counted.firstTokens, firstTokenBin(firstTokenSeconds));
  }

  /** Counts a request whose response never began, unless its client gave it up early. */
  ended(labels: RequestLabels): void {
    const sent = this.#waiting.get(labels);
    this.#waiting.delete(labels);
    if (sent?.endpoint === undefined || !this.#isUnanswered(sent)) return;
    this.#of(sent.endpoint.podUid, sent.endpoint.labels).requests += 1;
  }

  page(): ResponsesPage {
    const unanswered = Map.groupBy(
      [...this.#waiting.values()].filter((sent) => this.#isUnanswered(sent)),
      ({ endpoint }) => endpoint?.podUid,
    );
    const byPod = Map.groupBy(this.#view.snapshot().endpoints, ({ podUid }) => podUid);
    return {
      process: this.#process,
      endpoints: [...byPod].map(([uid, ranks]) => {
        const counted = this.#of(uid, ranks[0]?.labels ?? {});
        const waiting = unanswered.get(uid)?.length ?? 0;
        return { ...counted, requests: counted.requests + waiting };
      }),
    };
  }

  #isUnanswered({ since }: Waiting): boolean {
    return this.#view.now() - since >= unansweredSeconds * 1000;
  }

  #of(uid: string, labels: Readonly<Record<string, string>>): Counted {
    let counted = this.#byPod.get(uid);
    if (counted === undefined) {
      this.#forgetAbsent();
      const { firstTokens, clientResponses, clientErrors } = noResponses;
      counted = {
        uid,
        set: labels[lwsLabel.set] ?? "",
        revision: labels[lwsLabel.revision] ?? "",
        ...{ requests: 0, responses: 0, errors: 0 },
        firstTokens: [...firstTokens],
        clientResponses: [...clientResponses],
        clientErrors: [...clientErrors],
      };
      this.#byPod.set(uid, counted);
    }
    return counted;
  }

  /** Removes pods that no longer exist. A pod that is not ready for a while keeps its counts, which never fall. */
  #forgetAbsent(): void {
    const { endpoints, unready } = this.#view.snapshot();
    const present = new Set([...endpoints, ...unready].map(({ podUid }) => podUid));
    for (const uid of this.#byPod.keys()) if (!present.has(uid)) this.#byPod.delete(uid);
  }
}

function add(counts: number[], at: number): void {
  counts[at] = (counts[at] as number) + 1;
}
