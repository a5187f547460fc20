import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { findPrograms } from "../processes/binaries.ts";
import { findGo } from "../processes/find-go.ts";

/** Environment in which the Pulumi CLI finds itself, the language host and the Kubernetes provider. */
export interface PulumiPrograms {
  /** Value of PATH. */
  readonly path: string;
  /** Whether `path` contains the programs built here, which use no plugins of the user. */
  readonly isBuilt: boolean;
}

/** Folder of PULUMI_BIN, then folders of PATH. */
export const installedPath = () =>
  [process.env.PULUMI_BIN, process.env.PATH]
    .filter((path) => path !== undefined && path !== "")
    .join(delimiter);

const isInstalled = (name: string) =>
  installedPath()
    .split(delimiter)
    .some((folder) => existsSync(join(folder, name)));

/** Returns the folders of the Kubernetes provider that `pulumi plugin install` has installed. */
function pluginFolders(): string[] {
  const home = process.env.PULUMI_HOME ?? join(homedir(), ".pulumi");
  const plugins = join(home, "plugins");
  if (!existsSync(plugins)) return [];
  return readdirSync(plugins)
    .filter((entry) => entry.startsWith("resource-kubernetes-v") && !entry.endsWith(".lock"))
    .map((entry) => join(plugins, entry));
}

/** Returns the programs that are not installed: the CLI, the language host, the provider. */
export function missingPulumi(): string[] {
  const missing = ["pulumi", "pulumi-language-nodejs"].filter((name) => !isInstalled(name));
  const provider = "pulumi-resource-kubernetes";
  const hasProvider = isInstalled(provider) || pluginFolders().length > 0;
  return hasProvider ? missing : [...missing, provider];
}

/**
 * Finds the programs: the folder that PULUMI_BIN sets, else PATH if it has all three, else the programs built from Go
 * modules. The language host is then the STAND-IN of `language-host`.
 */
export async function findPulumi(): Promise<PulumiPrograms> {
  const missing = missingPulumi();
  if (missing.length === 0) {
    const path = [installedPath(), ...pluginFolders().slice(-1)].join(delimiter);
    return { path, isBuilt: false };
  }
  if (process.env.PULUMI_BIN) {
    throw new Error(
      `PULUMI_BIN is ${process.env.PULUMI_BIN}, but neither it nor PATH contains ${missing.join(", ")}. ` +
        "Set it to a folder with the three programs, or unset it to build them from Go modules.",
    );
  }
  const built = await findPrograms(["pulumi", "pulumi-resource-kubernetes"]);
  const folders = [...Object.values(built).map(dirname), languageHost, dirname(process.execPath)];
  return { path: [...folders, installedPath()].join(delimiter), isBuilt: true };
}

/**
 * Finds the same programs and the language hosts of Python, Go, YAML and Java. Built programs are the hosts of YAML and Java;
 * the others are the STAND-IN of `language-host`, which generates packages with the program `pulumi-sdks`.
 */
export async function findPulumiWithLanguages(): Promise<PulumiPrograms> {
  const { path, isBuilt } = await findPulumi();
  if (!isBuilt) return { path, isBuilt };
  const built = await findPrograms(["pulumi-language-yaml", "pulumi-language-java", "pulumi-sdks"]);
  const folders = [...Object.values(built), await findGo()].map((file) => dirname(file));
  return { path: [...folders, path].join(delimiter), isBuilt };
}

const languageHost = join(import.meta.dirname, "..", "language-host");
