import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Writes `serve-pack.cjs`, which the packs share, with all its imports except Pulumi's packages. The CLI loads it
 * without compiling it. For packs in TypeScript, it would check types at each start, which takes longer than running
 * them.
 */
export async function bundlePacks(): Promise<void> {
  const file = join(import.meta.dirname, "serve-pack.cjs");
  // Written and then renamed, so that concurrent loaders never see a partial file.
  const unfinished = `${file}.${process.pid}`;
  try {
    await build({
      absWorkingDir: import.meta.dirname,
      entryPoints: ["serve-pack.ts"],
      outfile: unfinished,
      bundle: true,
      platform: "node",
      target: "node22",
      format: "cjs",
      conditions: ["source"],
      external: ["@pulumi/*"],
      // Minify, to keep the package small, but keep names for stack traces.
      minifyWhitespace: true,
      legalComments: "eof",
      logLevel: "warning",
    });
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

if (process.argv[1] === import.meta.filename) await bundlePacks();
