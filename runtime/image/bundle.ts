import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";

const repository = join(import.meta.dirname, "..", "..");

/** Output folder of `npm run build`. */
export const bundleFolder = join(repository, "dist", "runtime");

/**
 * Writes the runtime with everything that it imports to `main.cjs` in a folder, and the thread that responds to probes
 * to `health-thread.cjs`, with their source maps and the licenses of bundled packages.
 */
export async function bundle(folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [
      { in: join(repository, "runtime", "main.ts"), out: "main" },
      {
        in: join(repository, "runtime", "manager", "health", "health-thread.ts"),
        out: "health-thread",
      },
    ],
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    // A program finds the file of its thread by this value.
    define: { "import.meta.filename": "__filename" },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    conditions: ["source"],
    // Unused parts of OpenTelemetry's modules are dropped, which leaves a third of its size.
    mainFields: ["module", "main"],
    // grpc-js loads it only for channelz and load reports, which the runtime does not use.
    external: ["@grpc/proto-loader"],
    // Source maps of stack traces are separate files.
    minifyWhitespace: true,
    sourcemap: "external",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  await writeFile(join(folder, "LICENSES"), await licensesOf(metafile));
}

/** Returns the licenses of the bundled packages, one after another. */
export async function licensesOf(metafile: Metafile): Promise<string> {
  const folders = new Set(Object.keys(metafile.inputs).flatMap((input) => packageFolder(input)));
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(repository, folder, "package.json"), "utf8"),
      ) as { name: string; version: string; license?: string };
      const text = await licenseText(join(repository, folder));
      return `${name} ${version} (${license ?? "see below"})\n\n${text.trim()}\n`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Returns the folder of the package that a bundled file belongs to; none for files of this project. */
function packageFolder(input: string): string[] {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
  return folder === undefined ? [] : [folder];
}

async function licenseText(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file === undefined
    ? "The package has no license file.\n"
    : readFile(join(folder, file), "utf8");
}

if (process.argv[1] === import.meta.filename) await bundle(bundleFolder);
