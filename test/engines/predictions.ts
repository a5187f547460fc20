import { expect } from "vitest";
import { replay } from "../../runtime/epp/kv-events/replay.ts";
import { kvEventPorts } from "../../sdk/engines/containers/kv-events.ts";
import type { ExplainPage } from "../../sdk/routing/explained-decision.ts";
import { type Api, ask, cachedTokensOf } from "./ask.ts";
import type { EngineService } from "./engine-service.ts";

interface KvEventsPage {
  readonly endpoints: ReadonlyArray<{
    readonly address: string;
    readonly rank: number;
    readonly state: string;
    readonly lastMessage: number | null;
  }>;
}

/** Number of messages that a rank has published from a number on; undefined if it does not answer. */
const published = (host: string, rank: number, from: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    let count = 0;
    replay({
      ...{ host, port: kvEventPorts.replay + rank, from },
      ...{ answerTimeoutMs: 10_000, timeoutMs: 60_000 },
      ...{ connectTimeoutMs: 5_000, idleTimeoutMs: 30_000, maxMessageBytes: 16 * 1024 * 1024 },
      onBatch: () => {
        count += 1;
      },
      onEnd: (failure) => resolve(failure === undefined ? count : undefined),
    });
  });

export interface Asked {
  readonly api: Api;
  readonly prompt: string;
  readonly salt?: string | undefined;
}

/** The picker's prediction for a request before it was sent, and the engine's count after it. */
export interface Said {
  /** Tokens. */
  readonly predicted: number;
  readonly cached: number;
  readonly chosen: string | undefined;
  /** The prediction is an estimate: no events had arrived. */
  readonly isEstimate: boolean;
}

/** Tokens of a block of these engines. */
export const engineBlock = 32;

/** Compares a picker's predictions of cached prefixes by KV events with the counts of its engines. */
export class Predictions {
  readonly #service: EngineService;
  readonly #model: string;
  readonly #publishers: number;

  /** @param publishers number of ranks that publish, in all engines together */
  constructor(service: EngineService, model: string, publishers: number) {
    this.#service = service;
    this.#model = model;
    this.#publishers = publishers;
  }

  /** Waits until the picker has received all events that the engines have published. */
  async untilHeard(): Promise<void> {
    let quiet = 0;
    while (quiet < 2) {
      const { endpoints } = await this.#service.picker<KvEventsPage>("/debug/kv-events");
      const missing = await Promise.all(
        endpoints.map(({ address, rank, lastMessage }) =>
          published(address.split(":")[0] as string, rank, (lastMessage ?? -1) + 1),
        ),
      );
      const isLive =
        endpoints.length === this.#publishers && endpoints.every(({ state }) => state === "live");
      quiet = isLive && missing.every((count) => count === 0) ? quiet + 1 : 0;
      if (quiet === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends a request; returns the picker's prediction before it and the engine's count after it. */
  async of({ api, prompt, salt }: Asked): Promise<Said> {
    await this.untilHeard();
    const answer = await ask(
      this.#service.traffic.envoy.url,
      this.#model,
      { api, stream: false, prompt },
      { more: salt === undefined ? {} : { cache_salt: salt } },
    );
    expect(answer, answer.raw).toMatchObject({ status: 200 });
    // Envoy gives requests ids of its own.
    const { last } = await this.#service.picker<ExplainPage>("/debug/explain");
    const page = await this.#service.picker<ExplainPage>(
      `/debug/explain?request-id=${last?.[0]?.requestId}`,
    );
    const decision = page.decisions?.at(-1);
    const chosen = decision?.chosen[0];
    const blocks = decision?.candidates.find(({ endpoint }) => endpoint === chosen)?.cachedBlocks;
    const { blockTokens = Number.NaN } = decision?.prefix ?? {};
    return {
      predicted: (blocks ?? Number.NaN) * blockTokens,
      cached: cachedTokensOf(api, answer),
      chosen,
      // An estimate has blocks of another size.
      isEstimate: blockTokens !== engineBlock,
    };
  }

  /**
   * Returns the picker's prediction for a request by events. If the tokens take longer than the 300 ms that a request
   * waits for them, the picker estimates, which tests nothing about events. Then the request is sent again, and its new
   * prediction and count are returned.
   *
   * @param next the request to send, asked for before each attempt
   */
  async byEvents(next: () => Asked | Promise<Asked>): Promise<Said> {
    let said = await this.of(await next());
    for (let sent = 1; said.isEstimate && sent < attempts; sent += 1)
      said = await this.of(await next());
    return said;
  }
}

/** How often a request is sent whose tokens come too late. */
const attempts = 10;
