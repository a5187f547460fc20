import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { isMap } from "../property-value.ts";
import { openSecrets, type PassphraseSource, passphraseFrom } from "./passphrase.ts";

/** How to run a project's program, from its Pulumi.yaml. */
export interface ProjectProgram {
  name: string;
  /** Folder of Pulumi.yaml. */
  root: string;
  /** Working directory of the program. */
  directory: string;
  /** Entry point: a file, or `.` for the folder's package. */
  entryPoint: string;
  /** Options for Node.js, before the program. */
  nodeArgs: string[];
  /** Whether to type-check and compile with ts-node. Default true, as in the CLI. */
  typescript: boolean;
}

/** Project with the configuration of one of its stacks. */
export interface LoadedProject {
  project: string;
  stack: string;
  program: { dir: string };
  /** Configuration values by full key, such as `project:replicas`. */
  config: Record<string, string>;
  /** Decrypted secret values by full key; never part of `config`. */
  secretConfig: Record<string, string>;
}

/** Reads Pulumi.yaml and Pulumi.<stack>.yaml. Encrypted configuration needs the passphrase. */
export async function loadProject(
  dir: string,
  stack: string,
  passphrase: PassphraseSource = passphraseFrom(),
): Promise<LoadedProject> {
  const { name, root } = readProject(dir);
  const settings = readStackSettings(join(root, `Pulumi.${stack}.yaml`));
  const { config = {}, encryptionsalt: salt } = settings;
  const values = Object.entries(config).map(([key, value]) => [fullKey(name, key), value] as const);
  const sealed = values.filter(([, value]) => isSealed(value));
  const decrypt = sealed.length > 0 ? await openSecrets(passphrase, salt) : undefined;
  return {
    project: name,
    stack,
    program: { dir: root },
    config: Object.fromEntries(
      values
        .filter(([, value]) => !isSealed(value))
        .map(([key, value]) => [key, configText(value)]),
    ),
    secretConfig: Object.fromEntries(
      sealed.map(([key, value]) => [key, decrypt?.((value as Sealed).secure) ?? ""]),
    ),
  };
}

interface ProjectFile {
  name?: unknown;
  main?: string;
  runtime?: string | { name?: string; options?: { typescript?: boolean; nodeargs?: string } };
}

/** Reads how to run the program of the project in a folder. */
export function readProject(dir: string): ProjectProgram {
  const root = resolve(dir);
  const file = join(root, "Pulumi.yaml");
  if (!existsSync(file))
    throw new Error(`${root} has no Pulumi.yaml; name the folder of a Pulumi project`);
  const { name, main = ".", runtime } = parse(readFileSync(file, "utf8")) as ProjectFile;
  const { name: language, options = {} } =
    typeof runtime === "object" ? runtime : { name: runtime };
  if (typeof name !== "string" || name === "") throw new Error(`${file}: name is missing`);
  if (language !== "nodejs") {
    throw new Error(
      `${file}: runtime ${JSON.stringify(language)} is not supported; a program that runs without the Pulumi CLI is for nodejs`,
    );
  }
  const target = resolve(root, main);
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined)
    throw new Error(`${file}: main ${JSON.stringify(main)} does not exist`);
  return {
    name,
    root,
    directory: isFolder ? target : dirname(target),
    entryPoint: isFolder ? "." : basename(target),
    nodeArgs: splitArguments(options.nodeargs ?? ""),
    typescript: options.typescript ?? true,
  };
}

interface Sealed {
  secure: string;
}

interface StackSettings {
  config?: Record<string, unknown>;
  encryptionsalt?: string;
}

function readStackSettings(file: string): StackSettings {
  if (!existsSync(file)) return {};
  return (parse(readFileSync(file, "utf8")) ?? {}) as StackSettings;
}

function isSealed(value: unknown): value is Sealed {
  return isMap(value) && typeof value.secure === "string" && Object.keys(value).length === 1;
}

/** Returns the full key of a configuration value. A key without a namespace belongs to the project. */
export function fullKey(project: string, key: string): string {
  return key.includes(":") ? key : `${project}:${key}`;
}

/** Programs receive strings; structured values are JSON. */
function configText(value: unknown): string {
  if (isMap(value) && JSON.stringify(value).includes('"secure":')) {
    throw new Error(
      "secrets inside of structured configuration are not supported; give each a key of its own",
    );
  }
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Splits arguments like a shell: at spaces, except inside quotes. */
function splitArguments(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([part]) =>
    part.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string, single: string) => double ?? single,
    ),
  );
}
