import * as handlers from "../config/plugins/profile-handlers.ts";
import { pluginType } from "../plugin.ts";
import { behindPrimaryPort, dataParallelHeader } from "./primary-port.ts";

export const dataParallelProfileHandler = pluginType({
  ...handlers.dataParallelProfileHandler,
  create: ({ primaryPort }, { profileNames }) => ({
    profileHandler: {
      ownHeaders: [dataParallelHeader],
      handle(_cycle, run) {
        const primary = run(profileNames[0] as string);
        return behindPrimaryPort({ primary, prefillers: [], headers: [] }, primaryPort);
      },
    },
  }),
});
