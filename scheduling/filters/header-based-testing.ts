import * as filters from "../config/plugins/filters.ts";
import { pluginType } from "../plugin.ts";

export const headerBasedTestingFilter = pluginType({
  ...filters.headerBasedTestingFilter,
  create: () => ({ filter: { filter: (_, endpoints) => endpoints } }),
});
