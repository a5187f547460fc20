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
    return (await this.runForBoth(...args)).stdout.trim();
  }

  /** Returns also the messages, because buildah 1.28 exits with 0 after some failures. */
  async runForBoth(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    return run("buildah", this.command(...args), { maxBuffer: 2 ** 26 });
  }
}

/** Returns the reason why buildah cannot be used here, or undefined. */
export function buildahProblem(): string | undefined {
  const { status, stdout } = spawnSync("buildah", ["--version"], { encoding: "utf8" });
  if (status === 0 && /^buildah version \d/.test(stdout)) return undefined;
  return "buildah is not installed: `apt-get install buildah`, or the package of your distribution";
}

const installation = [
  ["update"],
  ["install", "--yes", "--no-install-recommends", "buildah"],
] as const;

/**
 * Installs Debian's package if it is missing, it is allowed to, and this process is root. Prints the commands before it
 * runs them.
 *
 * @param install false with --no-install
 * @throws Error with the required action
 */
export function ensureBuildah({ install = true }: { install?: boolean } = {}): void {
  if (buildahProblem() !== undefined && install && process.getuid?.() === 0) {
    const commands = installation.map((args) => `apt-get ${args.join(" ")}`).join(" && ");
    process.stderr.write(
      `buildah is missing. Installing it as root: ${commands} (--no-install refuses this)\n`,
    );
    for (const args of installation)
      spawnSync("apt-get", [...args], { stdio: ["ignore", "ignore", "inherit"] });
  }
  const problem = buildahProblem();
  if (problem !== undefined) throw new Error(problem);
}
