import { FlowController } from "../../scheduling/flow-control/flow-controller.ts";
import type { FlowControlSettings } from "../../scheduling/flow-control/settings.ts";
import { Random } from "../routing/random.ts";
import { slots } from "./slots.ts";

/** Dispatches per second of the simulated pool. */
const capacity = 250;

export interface DeadlineResult {
  /** Longest wait of 20 queued requests without a deadline before 1,500 later ones with 1 ms, in ms. */
  readonly longestWait: number;
  /** Share of the requests with a deadline of 500 ms that meet it, while twice the capacity arrives. */
  readonly met: (share: number) => number;
}

/** Measures in virtual time how a queue of one flow treats requests with and without deadlines. */
export function deadlines(settings: FlowControlSettings, seed: number): DeadlineResult {
  return { longestWait: longestWait(settings), met: (share) => met(settings, seed, share) };
}

const request = (receivedAt: number, firstTokenWithin?: number) => ({
  ...{ flow: { id: "f", priority: 0 }, bytes: 1_000, promptTokens: 100, receivedAt },
  ...{ firstTokenWithin, ttl: firstTokenWithin },
});

function longestWait(settings: FlowControlSettings): number {
  const controller = new FlowController(settings);
  for (let at = 0; at < 20; at += 1) controller.arrive(request(0), 0);
  for (let at = 0; at < 1_500; at += 1) controller.arrive({ ...request(1, 1), ttl: undefined }, 1);
  let longest = 0;
  for (let now = 1; controller.size > 0; now += 1_000 / capacity)
    for (const { request } of controller.dispatch(now, slots(1)))
      if (request.firstTokenWithin === undefined) longest = now;
  return longest;
}

function met(settings: FlowControlSettings, seed: number, share: number): number {
  const controller = new FlowController(settings);
  const random = new Random(seed);
  const seconds = 60;
  let [all, inTime] = [0, 0];
  for (let turn = 0; turn < seconds * capacity; turn += 1) {
    const now = (turn * 1_000) / capacity;
    for (let arrival = 0; arrival < 2; arrival += 1) {
      const hasDeadline = random.next() < share;
      all += hasDeadline ? 1 : 0;
      controller.arrive(request(now, hasDeadline ? 500 : undefined), now);
    }
    controller.expire(now);
    for (const { request } of controller.dispatch(now, slots(1)))
      inTime += request.firstTokenWithin === undefined ? 0 : 1;
  }
  return inTime / all;
}
