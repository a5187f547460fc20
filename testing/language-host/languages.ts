import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { moduleSource } from "../processes/go-modules.ts";
import type { Launch, ProgramRun } from "./run-program.ts";

const run = promisify(execFile);

/** Parts of a language host that depend on the language. */
export interface Language {
  /** Returns the process that executes a program. */
  launch(program: ProgramRun): Promise<Launch> | Launch;
  /** Name of the language in Pulumi's generators. Undefined: this stand-in does not write packages. */
  readonly generator?: string;
  /** Installs the dependencies of a program or a plugin. */
  install?(folder: string): Promise<unknown>;
  /** Adds packages to a program. Returns what is left to do. */
  link?(folder: string, packages: readonly LinkedPackage[]): Promise<string>;
}

export interface LinkedPackage {
  readonly name: string;
  /** Folder of the package, from the folder of the program. */
  readonly path: string;
}

const settings = ({ config, secretKeys }: ProgramRun) => ({
  PULUMI_CONFIG: JSON.stringify(config),
  PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
});

/** Variables that the SDK of Go reads. */
const variables = (program: ProgramRun) => ({
  ...settings(program),
  PULUMI_ORGANIZATION: program.organization,
  PULUMI_PROJECT: program.project,
  PULUMI_STACK: program.stack,
  PULUMI_ROOT_DIRECTORY: program.root,
  PULUMI_DRY_RUN: String(program.preview),
  PULUMI_PARALLEL: String(program.parallel),
  PULUMI_MONITOR: program.monitor,
  PULUMI_ENGINE: program.engine,
});

const nodejs: Language = {
  install: (folder) => run("npm", ["install", "--no-fund", "--no-audit"], { cwd: folder }),
  launch(program) {
    const { nodeargs = "", typescript = true } = program.options as {
      nodeargs?: string;
      typescript?: boolean;
    };
    const runner = createRequire(join(program.directory, "index.js")).resolve(
      "@pulumi/pulumi/cmd/run",
    );
    return {
      command: "node",
      args: [
        ...nodeargs.split(/\s+/).filter((each) => each !== ""),
        runner,
        `--organization=${program.organization}`,
        `--project=${program.project}`,
        `--stack=${program.stack}`,
        `--root-directory=${program.root}`,
        `--pwd=${program.directory}`,
        `--parallel=${program.parallel}`,
        ...(program.preview ? ["--dry-run"] : []),
        `--monitor=${program.monitor}`,
        `--engine=${program.engine}`,
        program.entryPoint,
      ],
      env: { ...settings(program), PULUMI_NODEJS_TYPESCRIPT: String(typescript) },
    };
  },
};

/** The interpreter of a program: the one in its virtual environment, else `python3`. */
function pythonOf(directory: string, virtualenv: unknown): string {
  const own = join(directory, String(virtualenv ?? "venv"), "bin", "python");
  return existsSync(own) ? own : "python3";
}

const python: Language = {
  generator: "python",
  install: (folder) =>
    run(pythonOf(folder, undefined), ["-m", "pip", "install", "-q", "-r", "requirements.txt"], {
      cwd: folder,
    }),
  async launch(program) {
    return {
      command: pythonOf(program.directory, program.options.virtualenv),
      args: [
        "-u",
        await pythonRunner(),
        ...["--monitor", program.monitor, "--engine", program.engine],
        ...["--project", program.project, "--stack", program.stack],
        ...["--organization", program.organization, "--root_directory", program.root],
        ...["--pwd", program.directory, "--parallel", String(program.parallel)],
        ...["--dry_run", String(program.preview)],
        program.entryPoint,
      ],
      env: settings(program),
    };
  },
  async link(folder, packages) {
    const file = join(folder, "requirements.txt");
    writeFileSync(file, packages.map(({ path }) => `${path}\n`).join(""), { flag: "a" });
    return `Added ${packages.map(({ name }) => name).join(", ")} to requirements.txt.`;
  },
};

/** The runner of the Python SDK, which the CLI's distribution contains. */
async function pythonRunner(): Promise<string> {
  const sdk = await moduleSource("pulumi", "github.com/pulumi/pulumi/sdk/v3");
  return join(sdk, "python/cmd/pulumi-language-python-exec");
}

const go: Language = {
  generator: "go",
  async launch(program) {
    const binary = join(mkdtempSync(join(tmpdir(), "pulumi-go-")), "program");
    await run("go", ["build", "-o", binary, program.entryPoint], { cwd: program.directory });
    return { command: binary, args: [], env: variables(program) };
  },
};

export const languages: Readonly<Record<string, Language>> = { nodejs, python, go };
