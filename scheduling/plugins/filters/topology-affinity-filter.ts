import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import {
  isWithin,
  level,
  nearestLevel,
  peerOf,
  topologyProducerName,
} from "../affinity/topology.ts";

export const topologyAffinityFilter = pluginType({
  type: "topology-affinity-filter",
  kinds: ["filter"],
  summary:
    "Keeps pods near the pod that an earlier profile selected, by their topology labels. Keeps all pods if none is near.",
  parameters: z.strictObject({
    minAffinity: level
      .default("host")
      .describe("Smallest topology domain that both pods must share."),
    topologyProducerName,
  }),
  create: ({ minAffinity }) => ({
    filter: {
      filter(cycle, endpoints) {
        const peer = peerOf(cycle);
        if (peer === undefined) return endpoints;
        const near = endpoints.filter((endpoint) =>
          isWithin(nearestLevel(peer, endpoint), minAffinity),
        );
        return near.length === 0 ? endpoints : near;
      },
    },
  }),
});
