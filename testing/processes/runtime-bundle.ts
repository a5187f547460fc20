import { createHash, randomBytes } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../../runtime/image/bundle.ts";
import { repositoryRoot } from "../repository.ts";
import { withLock } from "./build-lock.ts";

const cache = join(repositoryRoot, "node_modules", ".cache");

const keptMs = 24 * 60 * 60 * 1_000;

let built: Promise<string> | undefined;

/**
 * The program of the image, bundled once for a state of the sources: a process starts from it with half the work of
 * starting from the sources. Returns its path.
 */
export function runtimeBundle(): Promise<string> {
  built ??= bundleOnce();
  return built;
}

async function bundleOnce(): Promise<string> {
  const folder = join(cache, `runtime-${stateOfSources()}`);
  const program = join(folder, "main.cjs");
  if (existsSync(program)) return program;
  await withLock(
    join(cache, "runtime.lock"),
    async () => {
      if (existsSync(program)) return;
      const scratch = join(cache, `building-${randomBytes(4).toString("hex")}`);
      await bundle(scratch);
      renameSync(scratch, folder);
      removeOld();
    },
    { retryMs: 50 },
  );
  return program;
}

/** Another run may still start programs of a state that the sources have just left. */
function removeOld(): void {
  for (const name of globSync("runtime-*", { cwd: cache })) {
    const folder = join(cache, name);
    if (statSync(folder).mtimeMs < Date.now() - keptMs) rmSync(folder, { recursive: true });
  }
}

/** A name for everything that is bundled. */
function stateOfSources(): string {
  const sources = globSync("{kubernetes,runtime,scheduling,sdk}/**/*.ts", { cwd: repositoryRoot })
    .filter((file) => !/\.(test|fixture|soak)\.ts$/.test(file))
    .sort();
  const hash = createHash("sha256");
  for (const file of [...sources, "package-lock.json"])
    hash.update(`${file}\n`).update(readFileSync(join(repositoryRoot, file)));
  return hash.digest("hex").slice(0, 8);
}
