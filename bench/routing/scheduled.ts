import type { Decision, Scheduler } from "../../scheduling/profiles/scheduler.ts";
import type { SchedulingRequest } from "../../scheduling/requests/request.ts";
import type { Pod } from "./pod.ts";
import type { Random } from "./random.ts";
import type { Router } from "./simulate.ts";
import type { Arrival } from "./trace.ts";

export interface Watching {
  /** The picker sees responses. */
  readonly watches: boolean;
}

/** A scheduler as a router. */
export function scheduled(
  scheduler: Scheduler,
  random: Random,
  { watches }: Watching = { watches: true },
): Router {
  let requests = 0;
  return {
    scraped: ({ endpoint }) => scheduler.state.settle(endpoint),
    retain: (pods) => scheduler.state.retain(pods.map(({ endpoint }) => endpoint)),
    route(request, pods, now) {
      requests += 1;
      const asked = schedulingRequest(`request-${requests}`, request);
      const chance = { now, random: random.next };
      const endpoints = pods.map(({ endpoint }) => endpoint);
      const decision = scheduler.schedule(asked, endpoints, chance);
      const sent = decision.dispatch();
      const pod = podAt(pods, decision.endpoints[0]?.address) as Pod;
      const prefiller = prefillerOf(decision, pods);
      const isLeft = !watches && sent.unobserve(now, () => {});
      if (isLeft) return { pod, prefiller };
      return {
        pod,
        prefiller,
        firstToken: (at) => {
          sent.answered(request.fails ? failed : ok, at);
          sent.firstToken(at);
        },
        end: () => sent.end(now),
      };
    },
  };
}

/** Headers of an answer. */
export const ok: ReadonlyMap<string, string> = new Map([[":status", "200"]]);
const failed: ReadonlyMap<string, string> = new Map([[":status", "500"]]);

const podAt = (pods: readonly Pod[], address: string | undefined) =>
  pods.find(({ endpoint }) => endpoint.address === address);

/** The pod that computes the prompt, where another one answers. */
export function prefillerOf({ headers }: Decision, pods: readonly Pod[]): Pod | undefined {
  const [, address] = headers.find(([name]) => name === "x-prefiller-host-port") ?? [];
  return podAt(pods, address);
}

const schedulingRequest = (id: string, { prompt, tenant = "" }: Arrival): SchedulingRequest => ({
  id,
  headers: new Map(),
  payload: { prompts: [prompt], tokensBeyond: 0, cacheSalt: "", streaming: true },
  targetModel: "base",
  priority: 0,
  fairnessId: tenant,
  owner: "",
});
