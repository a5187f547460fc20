import { z } from "zod";
import { RequestError } from "../../request-error.ts";
import { pluginType } from "../plugin.ts";

export const headerProfileHandler = pluginType({
  type: "header-profile-handler",
  summary: "Runs the profile that a header of the request names.",
  parameters: z.strictObject({
    headerName: z.string().default(""),
    defaultProfile: z.string().default(""),
  }),
  create({ headerName, defaultProfile }, { profileNames }) {
    const header = headerName.trim().toLowerCase() || "epp-profile";
    const otherwise = defaultProfile.trim() || "decode";
    return {
      profileHandler: {
        ownHeaders: [],
        handle({ request }, run) {
          const named = request.headers.get(header)?.trim() ?? "";
          const only = profileNames.length === 1 ? profileNames[0] : undefined;
          const profile = named || (only ?? otherwise);
          if (!profileNames.includes(profile))
            throw new RequestError(
              "BadRequest",
              `no scheduling profile "${profile}" as header ${header} asks for`,
            );
          return { primary: run(profile), prefillers: [], headers: [] };
        },
      },
    };
  },
});
