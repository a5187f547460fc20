import { z } from "zod";
import { RequestError } from "../../request-error.ts";
import { pluginType } from "../plugin.ts";

export const headerProfileHandler = pluginType({
  type: "header-profile-handler",
  summary:
    "Runs the profile that a header of the request names; the only one whatever the header says.",
  parameters: z.strictObject({
    headerName: z.string().default("").describe("Empty: epp-profile."),
    defaultProfile: z.string().default("").describe("Empty: decode."),
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
          const profile = only ?? (named || otherwise);
          if (!profileNames.includes(profile))
            throw new RequestError(
              "BadRequest",
              named === ""
                ? `header ${header} must name a scheduling profile: there is no default "${profile}"`
                : `no scheduling profile "${profile}" as header ${header} asks for`,
            );
          return { primary: run(profile), prefillers: [], headers: [] };
        },
      },
    };
  },
});
