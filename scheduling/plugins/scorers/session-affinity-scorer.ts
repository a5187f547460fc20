import { pluginType } from "../../profiles/plugin.ts";
import { affinity, parameters } from "../affinity/session-affinity.ts";

export const sessionAffinityScorer = pluginType({
  type: "session-affinity-scorer",
  kinds: ["scorer"],
  summary: "1 for the session's pod, 0 for the others.",
  parameters,
  create(given, { replicas }) {
    const kept = affinity(given, replicas);
    return {
      scorer: {
        score(cycle, endpoints) {
          const preferred = kept.preferred(cycle, endpoints);
          return endpoints.map((endpoint) => (preferred.includes(endpoint) ? 1 : 0));
        },
      },
      preRequestHook: kept,
    };
  },
});
