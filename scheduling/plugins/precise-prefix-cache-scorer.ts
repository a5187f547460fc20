import { pluginType } from "../plugin.ts";
import { precisePrefixCacheParameters } from "./precise-prefix-cache-producer.ts";
import { shareCached } from "./prefix-cache-scorer.ts";
import { prefixMatchInfoProducerName } from "./producer-names.ts";

export const precisePrefixCacheScorer = pluginType({
  type: "precise-prefix-cache-scorer",
  kinds: ["scorer"],
  summary:
    "As prefix-cache-scorer, by the servers' KV events. Its parameters are those of precise-prefix-cache-producer, where none is listed.",
  parameters: precisePrefixCacheParameters.extend({ prefixMatchInfoProducerName }),
  prefixCache: ({ prefixMatchInfoProducerName: producer, ...precise }) => ({ producer, precise }),
  create: (_, context) => ({ scorer: shareCached(context.prefixCache(), 0, 1) }),
});
