import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A provider plugin that a package of a program needs. */
export interface RequiredProvider {
  readonly name: string;
  readonly version: string;
}

interface Manifest {
  readonly version: string;
  readonly pulumi?: {
    readonly resource?: boolean;
    readonly name?: string;
    readonly version?: string;
  };
}

/**
 * Returns the providers of the installed packages of scope @pulumi. A program can import the packages of the nearest
 * node_modules. A plugin installs its dependencies into its own folder.
 */
export function requiredProviders(directory: string): RequiredProvider[] {
  const isPlugin = existsSync(join(directory, "PulumiPlugin.yaml"));
  const modules = isPlugin ? join(directory, "node_modules") : nearestModules(directory);
  const scope = join(modules ?? directory, "@pulumi");
  if (!existsSync(scope)) return [];
  return readdirSync(scope).flatMap((folder) => {
    const file = join(scope, folder, "package.json");
    if (!existsSync(file)) return [];
    const { version, pulumi = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    if (pulumi.resource !== true) return [];
    return [{ name: pulumi.name ?? folder, version: pulumi.version ?? version }];
  });
}

function nearestModules(directory: string): string | undefined {
  const folder = join(directory, "node_modules");
  if (existsSync(folder)) return folder;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearestModules(parent);
}
