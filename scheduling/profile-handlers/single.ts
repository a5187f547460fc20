import * as handlers from "../config/plugins/profile-handlers.ts";
import { pluginType } from "../plugin.ts";

export const singleProfileHandler = pluginType({
  ...handlers.singleProfileHandler,
  create: (_, { profileNames }) => ({
    profileHandler: {
      ownHeaders: [],
      handle: (_cycle, run) => ({
        primary: run(profileNames[0] as string),
        prefillers: [],
        headers: [],
      }),
    },
  }),
});
