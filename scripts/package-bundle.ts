import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { licensesOf } from "../runtime/image/bundle.ts";

/**
 * Bundles the package's modules, as compiled by `tsc`, into one file for each entry and shared chunks, so that a
 * program that imports the package reads a few files instead of hundreds. The used part of the Kubernetes client
 * library is a separate file, which is loaded with the first cluster, instead of a dependency of 66 MB.
 */

const dist = join(import.meta.dirname, "..", "dist");
const entries = [
  "components/index",
  "components/kubernetes/index",
  "components/plugin/index",
  "program-tests/index",
  "sdk/index",
];
const folders = [
  "cli",
  "components",
  "kubernetes",
  "program-tests",
  "recorder",
  "scheduling",
  "sdk",
];
const clientLibrary = "@kubernetes/client-node";

const { metafile: ofClient } = await build({
  stdin: {
    contents: `export { KubeConfig, PortForward } from "${clientLibrary}";`,
    resolveDir: dist,
  },
  outfile: join(dist, "client-library/index.cjs"),
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(dist, "client-library/LICENSES"), await licensesOf(ofClient));

/** Resolves the bundled library by the name of this package, for chunks in any folder. */
const ownClientLibrary: Plugin = {
  name: "own-client-library",
  setup({ onLoad }) {
    onLoad({ filter: /kubernetes\/api\/client-library\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace(
        `require("${clientLibrary}")`,
        'require("pulumi-inference/client-library")',
      );
      if (contents === text) throw new Error(`${path}: does not require ${clientLibrary}`);
      return { contents, loader: "js" };
    });
  },
};

const { metafile } = await build({
  entryPoints: [...entries, "cli/main"].map((entry) => join(dist, `${entry}.js`)),
  outbase: dist,
  outdir: dist,
  chunkNames: "chunks/[hash]",
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  packages: "external",
  platform: "node",
  target: "node22",
  format: "esm",
  minifyWhitespace: true,
  plugins: [ownClientLibrary],
  metafile: true,
  logLevel: "warning",
});
const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(dist, "..", "package.json"), "utf8"),
);
const installed = Object.keys({ ...dependencies, ...peerDependencies });
for (const [output, { imports }] of Object.entries(metafile.outputs))
  for (const { path, external } of imports)
    if (
      external &&
      !isBuiltin(path) &&
      !installed.some((name) => `${path}/`.startsWith(`${name}/`))
    )
      throw new Error(
        `${output} imports ${path}, which users do not have. Add it to the dependencies, or load it from the bundled client library.`,
      );

const written = new Set(Object.keys(metafile.outputs).map((path) => join(dist, "..", path)));
for (const folder of folders)
  for (const file of globSync(`${folder}/**/*.{js,json}`, { cwd: dist }))
    if (!written.has(join(dist, file))) rmSync(join(dist, file));
