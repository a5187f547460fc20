import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** buildah with separate storage in a folder, so that images and containers of the machine's user are not touched. */
export class Buildah {
  readonly #storage: readonly string[];

  constructor(folder: string) {
    this.#storage = [`--root=${folder}/root`, `--runroot=${folder}/run`, "--storage-driver=vfs"];
  }

  /** Returns the arguments of a command, for callers that start it themselves. */
  command(...args: readonly string[]): string[] {
    return [...this.#storage, ...args];
  }

  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("buildah", this.command(...args), { maxBuffer: 2 ** 26 });
    return stdout.trim();
  }
}

/** Returns the reason why buildah cannot be used here, or undefined. */
export function buildahProblem(): string | undefined {
  const { status, error } = spawnSync("buildah", ["--version"], { encoding: "utf8" });
  if (error !== undefined || status !== 0)
    return "buildah is not installed: `apt-get install buildah`, or the package of your distribution";
  return undefined;
}

/**
 * Installs Debian's package if possible.
 * @throws Error with the required action
 */
export function ensureBuildah(): void {
  if (buildahProblem() !== undefined && process.getuid?.() === 0) {
    const quietly = { stdio: ["ignore", "ignore", "inherit"] as const } as object;
    spawnSync("apt-get", ["update"], quietly);
    spawnSync("apt-get", ["install", "--yes", "--no-install-recommends", "buildah"], quietly);
  }
  const problem = buildahProblem();
  if (problem !== undefined) throw new Error(problem);
}
