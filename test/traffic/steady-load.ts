import { setTimeout as sleep } from "node:timers/promises";
import type OpenAI from "openai";

/** A request of the load, by the clock of this machine. */
export interface LoadedRequest {
  readonly began: number;
  readonly ended: number;
  /** Undefined if it was answered. */
  readonly error: Error | undefined;
}

export interface SteadyLoad {
  readonly requests: readonly LoadedRequest[];
  /** Waits until `count` more requests were answered. */
  answered(count: number): Promise<void>;
  /** Ends the load; the requests that are open end first. */
  stop(): Promise<readonly LoadedRequest[]>;
}

/** Clients that each ask again as soon as they have their answer. */
export const startLoad = (client: OpenAI, clients: number): SteadyLoad =>
  startAsking(client, async (ask, isOn) => {
    const askOn = async () => {
      while (isOn()) await ask();
    };
    await Promise.all(Array.from({ length: clients }, askOn));
  });

/** Sends `perSecond` requests per second, whether earlier ones were answered or not. */
export const startRate = (
  client: OpenAI,
  perSecond: number,
  send: (client: OpenAI) => Promise<unknown> = completion,
): SteadyLoad =>
  startAsking(
    client,
    async (ask, isOn) => {
      const asked: Promise<void>[] = [];
      let due = performance.now();
      while (isOn()) {
        asked.push(ask());
        // After a stall of the machine, at most one second of missed requests is sent.
        due = Math.max(due, performance.now() - 1_000) + 1_000 / perSecond;
        await sleep(Math.max(0, due - performance.now()));
      }
      await Promise.all(asked);
    },
    send,
  );

function startAsking(
  client: OpenAI,
  run: (ask: () => Promise<void>, isOn: () => boolean) => Promise<void>,
  send: (client: OpenAI) => Promise<unknown> = completion,
): SteadyLoad {
  const requests: LoadedRequest[] = [];
  let running = true;
  let onRequest = () => {};
  const ask = async () => {
    const began = Date.now();
    const error = await send(client).then(
      () => undefined,
      (error: Error) => error,
    );
    requests.push({ began, ended: Date.now(), error });
    onRequest();
  };
  const all = run(ask, () => running);
  const countAnswered = () => requests.filter(({ error }) => error === undefined).length;
  return {
    requests,
    async answered(count) {
      const wanted = countAnswered() + count;
      while (countAnswered() < wanted)
        await new Promise<void>((resolve) => {
          onRequest = resolve;
        });
    },
    async stop() {
      running = false;
      await all;
      return requests;
    },
  };
}

/** A request of a few milliseconds. */
export const completion = (client: OpenAI) =>
  client.completions.create({ model: "base", prompt: "Hello.", max_tokens: 2 });

/** Sends `count` requests, at most `atOnce` concurrently. */
export async function send(client: OpenAI, count: number, atOnce = 8): Promise<void> {
  let left = count;
  const ask = async () => {
    while (left > 0) {
      left -= 1;
      await completion(client);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
}
