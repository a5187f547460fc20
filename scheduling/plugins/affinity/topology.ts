import { z } from "zod";
import type { Cycle } from "../../cycle.ts";
import type { Endpoint } from "../../endpoint.ts";

/** Levels at which two pods can be near each other, the nearest first, and the pod labels that name them. */
const levels = {
  host: "kubernetes.io/hostname",
  rack: "topology.kubernetes.io/rack",
  zone: "topology.kubernetes.io/zone",
  region: "topology.kubernetes.io/region",
} as const;

type Level = keyof typeof levels;

export const level = z.enum(Object.keys(levels) as [Level]);

/** Labels are those of the pods: newer versions of Kubernetes copy zone and region to them, others are yours to set. */
export const topologyProducerName = z.string().optional().describe("Not used.");

const levelNames = Object.keys(levels) as readonly Level[];

/** The endpoint that an earlier profile chose for the request; undefined in the first profile that runs. */
export const peerOf = ({ results }: Cycle): Endpoint | undefined =>
  results.values().next().value?.endpoints[0];

/** The nearest level that two endpoints share; undefined if they share none. */
export const nearestLevel = (a: Endpoint, b: Endpoint): Level | undefined =>
  levelNames.find((name) => {
    const label = levels[name];
    return (a.labels[label] ?? "") !== "" && a.labels[label] === b.labels[label];
  });

/** Whether `found` is at least as near as `wanted`. */
export const isWithin = (found: Level | undefined, wanted: Level): boolean =>
  found !== undefined && levelNames.indexOf(found) <= levelNames.indexOf(wanted);
