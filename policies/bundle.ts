import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Writes `serve-pack.cjs`, which the packs share, with all that it imports but Pulumi's own packages. The CLI loads it
 * without compiling: packs in TypeScript would be type-checked at each start, which takes longer than their work.
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
      // The names stay, for stack traces. The package has a size to keep.
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
