import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const headerBasedTestingFilter = pluginType({
  type: "header-based-testing-filter",
  kinds: ["filter"],
  summary:
    "No effect. With --conformance-headers, the picker itself follows the header test-epp-endpoint-selection.",
  parameters: z.looseObject({}),
  create: () => ({ filter: { filter: (_, endpoints) => endpoints } }),
});
