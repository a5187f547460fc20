import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import type { Cycle } from "../../profiles/cycle.ts";

/** Topology levels that two pods can share, nearest first, with the pod labels that name them. */
const levels = {
  host: "kubernetes.io/hostname",
  rack: "topology.kubernetes.io/rack",
  zone: "topology.kubernetes.io/zone",
  region: "topology.kubernetes.io/region",
} as const;

type Level = keyof typeof levels;

export const level = z.enum(Object.keys(levels) as [Level]);

/** The labels are read from pods. Newer versions of Kubernetes copy zone and region to pods; the user sets the rest. */
export const topologyProducerName = z.string().optional().describe("Not used.");

const levelNames = Object.keys(levels) as readonly Level[];

/** Returns the endpoint that an earlier profile selected for the request; undefined in the first profile. */
export const peerOf = ({ results }: Cycle): Endpoint | undefined =>
  results.values().next().value?.endpoints[0];

/** Returns the nearest level that two endpoints share; undefined if they share none. */
export const nearestLevel = (a: Endpoint, b: Endpoint): Level | undefined =>
  levelNames.find((name) => {
    const label = levels[name];
    return (a.labels[label] ?? "") !== "" && a.labels[label] === b.labels[label];
  });

/** Whether `found` is at least as near as `wanted`. */
export const isWithin = (found: Level | undefined, wanted: Level): boolean =>
  found !== undefined && levelNames.indexOf(found) <= levelNames.indexOf(wanted);
