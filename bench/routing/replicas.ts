import { buildScheduler } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import type { Replicas } from "../../scheduling/endpoints/rendezvous.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { PodsOfReplica } from "./pods-of-replica.ts";
import type { Random } from "./random.ts";
import { scheduled } from "./scheduled.ts";
import type { Router } from "./simulate.ts";

/**
 * Several replicas of a picker that know nothing of each other: a gateway gives each request to one of them by chance,
 * and each reads every server's metrics itself.
 *
 * Each replica is configured as one of `told` replicas.
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

/** A replica with its own state of the servers. */
function replica(random: Random, replicas: Replicas): Router {
  const text = JSON.stringify(endpointPickerConfig("prefix-cache"));
  const { config } = loadPickerConfig(text, "the planned configuration");
  const router = scheduled(buildScheduler(config, { replicas }), random);
  const own = new PodsOfReplica();
  return {
    scraped: (pod) => router.scraped?.(own.read(pod)),
    retain: (pods) => router.retain?.(pods.map((pod) => own.of(pod))),
    route(request, pods, now) {
      const seen = pods.map((pod) => own.of(pod));
      const choice = router.route(request, seen, now);
      return choice && { ...choice, pod: own.real(choice.pod) };
    },
  };
}
