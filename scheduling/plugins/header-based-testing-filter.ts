import { z } from "zod";
import { pluginType } from "../plugin.ts";

export const headerBasedTestingFilter = pluginType({
  type: "header-based-testing-filter",
  kinds: ["filter"],
  summary:
    "Does nothing of its own: header test-epp-endpoint-selection is obeyed with --conformance-headers.",
  parameters: z.looseObject({}),
  create: () => ({ filter: { filter: (_, endpoints) => endpoints } }),
});
