import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const singleProfileHandler = pluginType({
  type: "single-profile-handler",
  summary: "Runs the only profile.",
  parameters: z.looseObject({}),
  create: (_, { profileNames }) => ({
    profileHandler: {
      single: true,
      ownHeaders: [],
      handle: (_cycle, run) => ({
        primary: run(profileNames[0] as string),
        prefillers: [],
        headers: [],
      }),
    },
  }),
});
