import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const singleProfileHandler = pluginType({
  type: "single-profile-handler",
  kinds: ["profileHandler"],
  summary: "Runs the only profile.",
  parameters: z.looseObject({}),
  single: true,
  create: (_, { profileNames }) => ({
    profileHandler: {
      handle: (_cycle, run) => ({
        primary: run(profileNames[0] as string),
        prefillers: [],
        headers: [],
      }),
    },
  }),
});
