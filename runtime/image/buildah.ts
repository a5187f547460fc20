import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** buildah with a storage of its own in a folder: images and containers of the machine's user are left alone. */
export class Buildah {
  readonly #storage: readonly string[];

  constructor(folder: string) {
    this.#storage = [`--root=${folder}/root`, `--runroot=${folder}/run`, "--storage-driver=vfs"];
  }

  /** Arguments of a command, for who runs it in another way. */
  command(...args: readonly string[]): string[] {
    return [...this.#storage, ...args];
  }

  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("buildah", this.command(...args), { maxBuffer: 2 ** 26 });
    return stdout.trim();
  }
}

/** Why buildah cannot be used here; undefined where it can. */
export function buildahProblem(): string | undefined {
  const { status, error } = spawnSync("buildah", ["--version"], { encoding: "utf8" });
  if (error !== undefined || status !== 0)
    return "buildah is not installed: `apt-get install buildah`, or the package of your distribution";
  return undefined;
}

/** Installs Debian's package where that is possible. @throws Error that says what to do. */
export function ensureBuildah(): void {
  if (buildahProblem() !== undefined && process.getuid?.() === 0) {
    const quietly = { stdio: ["ignore", "ignore", "inherit"] as const } as object;
    spawnSync("apt-get", ["update"], quietly);
    spawnSync("apt-get", ["install", "--yes", "--no-install-recommends", "buildah"], quietly);
  }
  const problem = buildahProblem();
  if (problem !== undefined) throw new Error(problem);
}
