import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { packNames } from "../sdk/invariants/stack/packs.ts";

/** The folders of the packs: that of pack `inference` holds the others. */
export const packFolders: ReadonlyArray<readonly [name: string, folder: string]> = [
  ["inference", import.meta.dirname],
  ...packNames.map((name) => [name, join(import.meta.dirname, name)] as const),
];

/**
 * Writes `index.cjs` into the folder of every pack, with all that it imports but Pulumi's own packages. The CLI loads
 * it without compiling: a pack in TypeScript would be type-checked at each start, which takes longer than its work.
 */
export async function bundlePacks(): Promise<void> {
  await Promise.all(packFolders.map(([, folder]) => bundlePack(folder)));
}

async function bundlePack(folder: string): Promise<void> {
  const file = join(folder, "index.cjs");
  // Whoever loads the pack meanwhile finds the old file or the new one.
  const unfinished = `${file}.${process.pid}`;
  try {
    await build({
      absWorkingDir: folder,
      entryPoints: [join(folder, "index.ts")],
      outfile: unfinished,
      bundle: true,
      platform: "node",
      target: "node22",
      format: "cjs",
      conditions: ["source"],
      external: ["@pulumi/*"],
      legalComments: "eof",
      logLevel: "warning",
    });
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

if (process.argv[1] === import.meta.filename) await bundlePacks();
