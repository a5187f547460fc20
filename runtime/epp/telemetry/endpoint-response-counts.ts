import {
  type EndpointResponses,
  firstTokenBin,
  firstTokenBounds,
  type ResponsesPage,
} from "../../../sdk/rollout/endpoint-responses.ts";
import { lwsLabel } from "../../../sdk/topology/names.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { BegunResponse } from "../observer.ts";

/** Responses of a pod. All ranks of the pod count together. */
type Counted = { -readonly [Key in keyof EndpointResponses]: EndpointResponses[Key] } & {
  readonly firstTokens: number[];
};

/** Counts the responses of each model server of the pool, for the gates of rollouts. */
export class EndpointResponseCounts {
  readonly #snapshot: () => PoolSnapshot;
  readonly #byPod = new Map<string, Counted>();

  constructor(snapshot: () => PoolSnapshot) {
    this.#snapshot = snapshot;
  }

  began({ served, status, streaming, firstTokenSeconds }: BegunResponse): void {
    if (served === undefined) return;
    const counted = this.#of(served.podUid, served.labels);
    counted.responses += 1;
    if (status >= 500) counted.errors += 1;
    if (!streaming || firstTokenSeconds === undefined) return;
    const bin = firstTokenBin(firstTokenSeconds);
    counted.firstTokens[bin] = (counted.firstTokens[bin] as number) + 1;
  }

  page(): ResponsesPage {
    const byPod = Map.groupBy(this.#snapshot().endpoints, ({ podUid }) => podUid);
    return {
      endpoints: [...byPod].map(([uid, ranks]) => ({
        ...this.#of(uid, ranks[0]?.labels ?? {}),
        requests: ranks.reduce((sum, { live }) => sum + live.sentRequests, 0),
      })),
    };
  }

  #of(uid: string, labels: Readonly<Record<string, string>>): Counted {
    let counted = this.#byPod.get(uid);
    if (counted === undefined) {
      this.#forgetAbsent();
      counted = {
        uid,
        set: labels[lwsLabel.set] ?? "",
        revision: labels[lwsLabel.revision] ?? "",
        ...{ requests: 0, responses: 0 },
        errors: 0,
        firstTokens: firstTokenBounds.map(() => 0),
      };
      this.#byPod.set(uid, counted);
    }
    return counted;
  }

  /** Removes pods that left the pool. */
  #forgetAbsent(): void {
    const present = new Set(this.#snapshot().endpoints.map(({ podUid }) => podUid));
    for (const uid of this.#byPod.keys()) if (!present.has(uid)) this.#byPod.delete(uid);
  }
}
