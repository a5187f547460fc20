import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../exit-code.ts";

/**
 * Returns the folder of a Pulumi program; undefined if the paths are manifests.
 *
 * @param verb the command, such as `check`, for messages
 * @throws UsageError for a program together with other paths
 */
export function programFolder(paths: readonly string[], verb: string): string | undefined {
  const folder = paths.find((path) => path !== "-" && existsSync(join(path, "Pulumi.yaml")));
  if (folder !== undefined && paths.length > 1)
    throw new UsageError(`${folder} is a Pulumi program; ${verb} it alone, without other paths`);
  return folder;
}
