import { pluginType } from "../plugin.ts";
import { affinity, parameters } from "./session-affinity.ts";

export const sessionAffinityFilter = pluginType({
  type: "session-affinity-filter",
  kinds: ["filter"],
  summary: "The pod of the session, as long as it is there.",
  parameters,
  create(given, { replicas }) {
    const kept = affinity(given, replicas);
    return {
      filter: {
        filter(cycle, endpoints) {
          const home = kept.home(cycle, endpoints);
          return home.length > 0 ? home : endpoints;
        },
      },
      preRequestHook: kept,
    };
  },
});
