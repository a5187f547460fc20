import { z } from "zod";
import { pluginType } from "../plugin.ts";
import { shareCached } from "./prefix-cache-scorer.ts";

export const precisePrefixCacheScorer = pluginType({
  type: "precise-prefix-cache-scorer",
  kinds: ["scorer"],
  summary: "As prefix-cache-scorer: caches are estimated, servers' cache events are not read.",
  parameters: z.looseObject({}),
  prefixCache: () => ({}),
  warnings: () => ["precise-prefix-cache-scorer: caches are estimated, cache events are not read"],
  create: (_, context) => ({ scorer: shareCached(context.prefixCache(), 0, 1) }),
});
