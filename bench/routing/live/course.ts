import { setTimeout as sleep } from "node:timers/promises";
import { type Pod, withoutPlace } from "../pod.ts";
import { goneAfter } from "../pool-changes.ts";
import type { Run } from "../simulate.ts";
import type { Arrival, Trace } from "../trace.ts";
import { type Choice, Traffic } from "../traffic.ts";
import { LiveEngines } from "./engines.ts";

/** Chooses pods in real time. */
export interface LiveRouter {
  /** Chooses among the pods of the pool; undefined if it refuses. */
  route(request: Arrival, pods: readonly Pod[]): Promise<Choice | undefined>;
  /** The pod joined the pool, or left it. */
  changed?(pod: Pod, isReady: boolean): Promise<void>;
  stop?(): Promise<void>;
}

/** Starts what chooses, when the engines of its pods are there. */
export type StartRouter = (
  pods: readonly Pod[],
  ready: readonly Pod[],
) => Promise<LiveRouter> | LiveRouter;

/** Milliseconds after the last arrival at which what is not answered has failed. */
const patience = 30_000;

/** Runs a trace by the clock: the engines compute as long as they say, and requests come when they come. */
export async function runLive(
  trace: Trace,
  pods: readonly Pod[],
  startRouter: StartRouter,
): Promise<Run> {
  /** Requests of a closed loop that are not sent yet, and the function that sends one. */
  let thinking = 0;
  let follow: (arrival: Arrival) => void = () => {};
  const traffic = new Traffic((arrival) => follow(arrival));
  const engines = new LiveEngines((pod, emission) => traffic.emitted(pod, emission));
  const waiting: Array<Run["waiting"][number]> = [];
  const picks: number[] = [];
  const changes = (trace.changes ?? []).map((each) => ({ ...each, pod: pods[each.pod] as Pod }));
  const joins = new Set(changes.flatMap(({ change, pod }) => (change === "joins" ? pod : [])));
  let pool = pods.filter((pod) => !joins.has(pod));
  let router: LiveRouter | undefined;
  const setPool = (pod: Pod, isReady: boolean) => {
    pool = isReady ? [...pool, pod] : pool.filter((each) => each !== pod);
    void router?.changed?.(pod, isReady);
  };
  const timers: NodeJS.Timeout[] = [];
  try {
    for (const pod of pods) await engines.serve(pod);
    router = await startRouter(pods, pool);
    const start = engines.now;
    const at = (time: number, act: () => void) =>
      timers.push(setTimeout(act, start + time - engines.now));
    for (const { at: time, pod, change } of changes)
      if (change === "joins") at(time, () => setPool(pod, true));
      else if (change === "leaves") at(time, () => setPool(pod, false));
      else if (change === "dies") {
        at(time, () => {
          traffic.died(pod);
          void engines.kill(pod);
        });
        at(time + goneAfter, () => setPool(pod, false));
      } else
        throw new Error(`${trace.name}: no pod ${change} by the clock; run it in virtual time`);
    timers.push(
      setInterval(() => {
        const at = engines.now - start;
        for (const { alive, simulation } of pods)
          if (alive) waiting.push({ at, requests: withoutPlace(simulation) });
      }, 50),
    );
    const { route } = router;
    let asking = 0;
    const arrive = async (id: number, request: Arrival) => {
      const outcome = traffic.arrived({ ...request, at: start + request.at });
      asking += 1;
      const askedAt = engines.now;
      const choice = await route(request, pool).catch(() => undefined);
      picks.push(engines.now - askedAt);
      asking -= 1;
      for (const pod of pods) if (pod.alive) engines.step(pod);
      traffic.send(id, outcome, choice, engines.now);
      for (const pod of pods) if (pod.alive) engines.step(pod);
    };
    let arrived = 0;
    const { endsAt = Number.POSITIVE_INFINITY } = trace;
    follow = ({ at: due, ...next }) => {
      if (due - start >= endsAt) return;
      thinking += 1;
      at(due - start, () => {
        thinking -= 1;
        void arrive(arrived++, { ...next, at: due - start });
      });
    };
    for (const request of trace.requests) {
      const pause = start + request.at - engines.now;
      if (pause > 0) await sleep(pause);
      void arrive(arrived++, request);
    }
    const until = Math.max(engines.now, start + (trace.endsAt ?? 0)) + patience;
    while ((asking + thinking > 0 || traffic.inFlight > 0) && engines.now < until) await sleep(50);
    traffic.giveUp();
    const outcomes = traffic.outcomes.map((outcome) => ({
      ...outcome,
      request: { ...outcome.request, at: outcome.request.at - start },
      firstAt: outcome.firstAt - start,
      endAt: outcome.endAt - start,
    }));
    return { outcomes, waiting, picks };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await router?.stop?.();
    await engines.stop();
  }
}
