import { buildScheduler } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { type Endpoint, newLiveState } from "../../scheduling/endpoint.ts";
import { readingOf } from "../../scheduling/metrics-reading.ts";
import type { Replicas } from "../../scheduling/rendezvous.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import type { Pod } from "./pod.ts";
import type { Random } from "./random.ts";
import { scheduled } from "./scheduled.ts";
import type { Router } from "./simulate.ts";

/**
 * Several replicas of a picker that know nothing of each other: a gateway gives each request to one of them by chance,
 * and each reads every server's metrics itself.
 *
 * @param told how many replicas each believes that there are
 */
export function replicated(count: number, random: Random, told = count): Router {
  const replicas = Array.from({ length: count }, () => replica(random, { count: told }));
  return {
    scraped: (pod) => {
      for (const each of replicas) each.scraped?.(pod);
    },
    retain: (pods) => {
      for (const each of replicas) each.retain?.(pods);
    },
    route: (request, pods, now) =>
      replicas[random.between(0, count - 1)]?.route(request, pods, now),
  };
}

/** What one of them knows of a server is its own. */
function replica(random: Random, replicas: Replicas): Router {
  const text = JSON.stringify(endpointPickerConfig("prefix-cache"));
  const { config } = loadPickerConfig(text, "the planned configuration");
  const router = scheduled(buildScheduler(config, { replicas }), random);
  const known = new Map<Pod, Pod>();
  const own = (pod: Pod): Pod => {
    let seen = known.get(pod);
    if (seen === undefined) {
      const endpoint: Endpoint = { ...pod.endpoint, live: newLiveState() };
      seen = { ...pod, endpoint };
      known.set(pod, seen);
    }
    return seen;
  };
  const real = new Map<Pod, Pod>();
  const ownOf = (pods: readonly Pod[]) =>
    pods.map((pod) => {
      const seen = own(pod);
      real.set(seen, pod);
      return seen;
    });
  return {
    scraped(pod) {
      const { live } = own(pod).endpoint;
      const { metrics, isDown } = pod.endpoint.live;
      if (metrics !== undefined) live.reading = readingOf(live, metrics, live);
      Object.assign(live, { metrics, isDown });
      router.scraped?.(own(pod));
    },
    retain: (pods) => router.retain?.(ownOf(pods)),
    route(request, pods, now) {
      const choice = router.route(request, ownOf(pods), now);
      return choice && { ...choice, pod: real.get(choice.pod) as Pod };
    },
  };
}
