import { z } from "zod";
import { pluginType } from "../../profiles/plugin.ts";

export const headerBasedTestingFilter = pluginType({
  type: "header-based-testing-filter",
  kinds: ["filter"],
  summary:
    "Does nothing: the picker obeys header test-epp-endpoint-selection with --conformance-headers.",
  parameters: z.looseObject({}),
  create: () => ({ filter: { filter: (_, endpoints) => endpoints } }),
});
