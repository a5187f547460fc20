import { pluginType } from "../../profiles/plugin.ts";
import { precisePrefixCacheParameters } from "../producers/precise-prefix-cache-producer.ts";
import { prefixMatchInfoProducerName } from "../producers/producer-names.ts";
import { shareCached } from "./prefix-cache-scorer.ts";

export const precisePrefixCacheScorer = pluginType({
  type: "precise-prefix-cache-scorer",
  kinds: ["scorer"],
  summary:
    "The score of prefix-cache-scorer, computed from the servers' KV events. If no precise-prefix-cache-producer is listed, creates one with these parameters.",
  parameters: precisePrefixCacheParameters.extend({ prefixMatchInfoProducerName }),
  prefixCache: ({ prefixMatchInfoProducerName: producer, ...precise }) => ({ producer, precise }),
  create: (_, context) => ({ scorer: shareCached(context.prefixCache(), 0, 1) }),
});
