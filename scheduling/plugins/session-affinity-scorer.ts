import { pluginType } from "../plugin.ts";
import { affinity, parameters } from "./session-affinity.ts";

export const sessionAffinityScorer = pluginType({
  type: "session-affinity-scorer",
  kinds: ["scorer"],
  summary: "Scores the pod of the session 1, and the others 0.",
  parameters,
  create(given, { replicas }) {
    const kept = affinity(given, replicas);
    return {
      scorer: {
        score(cycle, endpoints) {
          const home = kept.home(cycle, endpoints);
          return endpoints.map((endpoint) => (home.includes(endpoint) ? 1 : 0));
        },
      },
      preRequestHook: kept,
    };
  },
});
