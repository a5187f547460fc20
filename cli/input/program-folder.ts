import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../exit-code.ts";

/**
 * Returns the folder of the Pulumi program that is named; undefined if the paths name manifests.
 *
 * @param verb what the command does with it, such as `check`
 * @throws UsageError for a program together with other paths
 */
export function programFolder(paths: readonly string[], verb: string): string | undefined {
  const folder = paths.find((path) => path !== "-" && existsSync(join(path, "Pulumi.yaml")));
  if (folder !== undefined && paths.length > 1)
    throw new UsageError(`${folder} is a Pulumi program; ${verb} it alone, without other paths`);
  return folder;
}
