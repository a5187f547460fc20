import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findPrograms } from "../../testing/processes/binaries.ts";
import { findGo } from "../../testing/processes/find-go.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import type { PackedProject } from "../packaging/packed-project.ts";

const execute = promisify(execFile);

/** Runs a command and returns its output. Fails with all of the output. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd, maxBuffer: 1e8 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(
      `${command} ${args.join(" ")}: ${(error as Error).message}\n${stdout}${stderr}`,
    );
  }
}

/** Languages whose programs run. */
export type Language = "python" | "go" | "yaml" | "java";

/** Returns a copy of the example of a language, in which the packed package is installed. */
export function languageProject(packed: PackedProject, language: Language): string {
  const project = mkdtempSync(join(tmpdir(), `${language}-`));
  cpSync(join(repositoryRoot, "examples/languages", language), project, { recursive: true });
  symlinkSync(join(packed.folder, "node_modules"), join(project, "node_modules"));
  return project;
}

/** Folder of the generated package in a project, as `pulumi package add` places it. */
const sdkOf = (project: string) => join(project, "sdks/inference");

/** Writes the package of the packed schema, as `pulumi package add` does. */
export async function generateSdk(
  packed: PackedProject,
  language: "python" | "go" | "java" | "csharp",
  folder: string,
): Promise<void> {
  const program = language === "python" || language === "go" ? "pulumi-sdks" : "pulumi-sdks-java";
  const { [program]: generator } = await findPrograms([program]);
  const published = join(packed.folder, "node_modules/pulumi-inference/plugin/schema.json");
  const schema = { ...JSON.parse(readFileSync(published, "utf8")), meta: { supportPack: true } };
  mkdirSync(folder, { recursive: true });
  const file = join(dirname(folder), "schema.json");
  writeFileSync(file, JSON.stringify(schema));
  await run(folder, generator, language, file, folder);
}

/** Newest mypy that all supported versions of Python have. */
const mypy = "mypy==1.19.1";

/** Builds the package and the program of a project, with type checks. */
export const build: Readonly<
  Record<Language, (packed: PackedProject, project: string) => Promise<void>>
> = {
  async python(packed, project) {
    await generateSdk(packed, "python", sdkOf(project));
    await run(project, "python3", "-m", "venv", "venv");
    const python = join(project, "venv/bin/python");
    await run(project, python, ...["-m", "pip", "install", "-q", "-r", "requirements.txt", mypy]);
    await run(project, python, "-m", "pip", "install", "-q", sdkOf(project));
    await run(project, python, "-m", "mypy", "--strict", "__main__.py");
  },
  async go(packed, project) {
    await generateSdk(packed, "go", sdkOf(project));
    const go = await findGo();
    await run(project, go, "build", "-o", join(project, "program"), ".");
  },
  /** The CLI checks the types of a program in YAML against the schema. */
  async yaml() {},
  async java(packed, project) {
    await generateSdk(packed, "java", sdkOf(project));
    await run(project, "mvn", "-q", "-B", "compile");
  },
};
