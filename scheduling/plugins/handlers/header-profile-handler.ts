import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { RequestError } from "../../requests/request-error.ts";

export const headerProfileHandler = pluginType({
  type: "header-profile-handler",
  kinds: ["profileHandler"],
  summary: "Runs the profile that a request header names. A single profile always runs.",
  parameters: z.strictObject({
    headerName: z.string().default("").describe("Empty: epp-profile."),
    defaultProfile: z.string().default("").describe("Empty: decode."),
  }),
  create({ headerName, defaultProfile }, { profileNames }) {
    const header = headerName.trim().toLowerCase() || "epp-profile";
    const otherwise = defaultProfile.trim() || "decode";
    return {
      profileHandler: {
        handle({ request }, run) {
          const named = request.headers.get(header)?.trim() ?? "";
          const only = profileNames.length === 1 ? profileNames[0] : undefined;
          const profile = only ?? (named || otherwise);
          if (!profileNames.includes(profile))
            throw new RequestError(
              "BadRequest",
              named === ""
                ? `header ${header} must name a scheduling profile: there is no default "${profile}"`
                : `no scheduling profile "${profile}", which header ${header} requests`,
            );
          return { primary: run(profile), prefillers: [], headers: [] };
        },
        // Requests without a prompt, such as a list of models, do not need the header.
        handleUnread({ request }, run) {
          const wanted = [request.headers.get(header)?.trim() ?? "", otherwise];
          const profile = wanted.find((name) => profileNames.includes(name)) ?? profileNames[0];
          return { primary: run(profile as string), prefillers: [], headers: [] };
        },
      },
    };
  },
});
