import { pluginType } from "../../profiles/plugin.ts";
import { affinity, parameters } from "../affinity/session-affinity.ts";

export const sessionAffinityFilter = pluginType({
  type: "session-affinity-filter",
  kinds: ["filter"],
  summary: "Keeps only the pod of the session while it exists.",
  parameters,
  create(given, { replicas }) {
    const kept = affinity(given, replicas);
    return {
      filter: {
        filter(cycle, endpoints) {
          const preferred = kept.preferred(cycle, endpoints);
          return preferred.length > 0 ? preferred : endpoints;
        },
      },
      preRequestHook: kept,
    };
  },
});
