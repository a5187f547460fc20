import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";
import { behindPrimaryPort } from "./primary-port.ts";

export const dataParallelProfileHandler = pluginType({
  type: "data-parallel-profile-handler",
  kinds: ["profileHandler"],
  summary:
    "Runs the only profile and sends the request to one port of the pod, with the chosen rank in a header.",
  parameters: z.strictObject({
    primaryPort: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .default(8000)
      .describe("Port of the pod's sidecar."),
  }),
  single: true,
  create: ({ primaryPort }, { profileNames }) => ({
    profileHandler: {
      handle(_cycle, run) {
        const primary = run(profileNames[0] as string);
        return behindPrimaryPort({ primary, prefillers: [], headers: [] }, primaryPort);
      },
    },
  }),
});
