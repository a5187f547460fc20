import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { count } from "../parameter-types.ts";
import { behindPrimaryPort } from "./primary-port.ts";
import { inStages } from "./stages.ts";

export const pdProfileHandler = pluginType({
  type: "pd-profile-handler",
  kinds: ["profileHandler"],
  summary: "Old form of disagg-profile-handler.",
  parameters: z.strictObject({
    decodeProfile: z.string().default("decode"),
    prefillProfile: z.string().default("prefill"),
    deciderPluginName: z.string().min(1).default("prefix-based-pd-decider"),
    primaryPort: count
      .max(65_535)
      .default(0)
      .describe("Port of the pod's sidecar. 0: the endpoint's port."),
    prefixPluginType: z.string().optional().describe("Not used."),
    prefixPluginName: z.string().optional().describe("Not used."),
    prefixMatchInfoProducerName: z.string().optional().describe("Not used."),
  }),
  deciders: ({ deciderPluginName }) => [deciderPluginName],
  profiles: ({ decodeProfile, prefillProfile }) => [decodeProfile, prefillProfile],
  create({ decodeProfile, prefillProfile, deciderPluginName, primaryPort }, context) {
    const stages = inStages({
      order: "decode-first",
      decode: decodeProfile,
      prefill: prefillProfile,
      encode: "",
      decider: context.decider(deciderPluginName),
      encodeDecider: undefined,
      sameKvFormat: false,
    });
    if (primaryPort === 0) return { profileHandler: stages };
    return {
      profileHandler: {
        ...stages,
        handle: (cycle, run) => behindPrimaryPort(stages.handle(cycle, run), primaryPort),
        handleUnread: (cycle, run) =>
          behindPrimaryPort(stages.handleUnread(cycle, run), primaryPort),
      },
    };
  },
});
