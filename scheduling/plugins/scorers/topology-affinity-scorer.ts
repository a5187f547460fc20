import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { nearestLevel, peerOf, topologyProducerName } from "../affinity/topology.ts";

/** Score per level (llm-d-router, scorer/topologyaffinity). The wider the level, the slower its links. */
const scores = { host: 1, rack: 0.2, zone: 0.05, region: 0.02 };

export const topologyAffinityScorer = pluginType({
  type: "topology-affinity-scorer",
  kinds: ["scorer"],
  summary:
    "Scores the distance to the pod that an earlier profile selected: same host 1, rack 0.2, zone 0.05, region 0.02.",
  parameters: z.strictObject({ topologyProducerName }),
  create: () => ({
    scorer: {
      score(cycle, endpoints) {
        const peer = peerOf(cycle);
        return endpoints.map((endpoint) => {
          const shared = peer && nearestLevel(peer, endpoint);
          return shared === undefined ? 0 : scores[shared];
        });
      },
    },
  }),
});
