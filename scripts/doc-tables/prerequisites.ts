import { prerequisiteNames, prerequisites } from "../../sdk/platform/prerequisites.ts";
import { code, table } from "./table.ts";

/** The cluster's components and their tested versions. */
export const prerequisitesTable = (): string[] =>
  table(
    ["component", "name in commands", "argument", "tested version", "needed for"],
    prerequisiteNames.map((name) => {
      const { title, folder, version, use } = prerequisites[name];
      return [title, code(folder), code(name), version, use];
    }),
  );
