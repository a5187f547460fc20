/** `npm run bootstrap`: packs the package and pushes the image, until both are published. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { ensureBuildah } from "../runtime/image/buildah.ts";
import { bundle, bundleFolder } from "../runtime/image/bundle.ts";
import { pushImage, readTarget, readTlsVerify } from "../runtime/image/push.ts";
import { readTar } from "../runtime/image/tar.ts";
import { version } from "../sdk/version.ts";

const help = `Usage: npm run bootstrap -- --registry REGISTRY [--tls-verify=false] [--no-install]

Packs the npm package, pushes the image to REGISTRY/pulumi-inference, and prints the two commands that a Pulumi
project needs to use them.

  --registry REGISTRY   registry and path that you may push to and your cluster may pull from, such as
                        registry.example.com/team; log in with \`docker login\` before
  --tls-verify=false    accepts a registry without TLS, or with a self-signed certificate
  --no-install          fails if buildah is missing; default: \`apt-get install buildah\` if this runs as root

Builds the image on Debian on x86-64. After the push, the image is read back from the registry, with every blob.
`;

/** Returns the target in a command line; undefined if it only requests help. */
export function bootstrapTarget(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      registry: { type: "string" },
      "tls-verify": { type: "string", default: "true" },
      "no-install": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { registry } = values;
  if (registry === undefined) throw new Error("--registry: is missing");
  const tlsVerify = readTlsVerify(values["tls-verify"]);
  const image = `${registry.replace(/\/$/, "")}/pulumi-inference`;
  readTarget(image, "--registry");
  return { image, tlsVerify, install: !values["no-install"] };
}

/** Returns the commands that make a project use a packed package and a pushed image. */
export const projectCommands = (packageFile: string, image: string): string =>
  [
    `npm install ${packageFile} @pulumi/pulumi @pulumi/kubernetes`,
    `pulumi config set pulumi-inference:image ${image}`,
  ].join("\n");

async function main(): Promise<void> {
  let target: ReturnType<typeof bootstrapTarget>;
  try {
    target = bootstrapTarget(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
  if (target === undefined) return void process.stdout.write(help);
  ensureBuildah(target);
  const file = packPackage(join(import.meta.dirname, ".."));
  await bundle(bundleFolder);
  const image = await pushImage(bundleFolder, target.image, target);
  console.log(`\nRun in your Pulumi project:\n\n${projectCommands(file, image)}`);
}

/**
 * Packs the npm package into `dist`. Returns the path of the file.
 *
 * @throws Error if npm did not write a package of this version
 */
export function packPackage(repository: string): string {
  const folder = join(repository, "dist");
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const file = join(folder, packed.trim().split("\n").at(-1) ?? "");
  const problem = packageProblem(file);
  if (problem !== undefined)
    throw new Error(`npm pack ended with exit code 0, but ${file}: ${problem}`);
  return file;
}

/** Returns why a file is not this version of the package; undefined if it is. */
export function packageProblem(file: string): string | undefined {
  try {
    const files = readTar(gunzipSync(readFileSync(file)));
    const about = JSON.parse(files.get("package/package.json")?.toString("utf8") ?? "{}");
    const found = `${about.name}@${about.version}`;
    if (found !== `pulumi-inference@${version}`) return `contains ${found}`;
    const missing = [
      "dist/components/index.js",
      "dist/cli/main.js",
      "policies/serve-pack.cjs",
    ].find((path) => !files.has(`package/${path}`));
    return missing === undefined ? undefined : `contains no ${missing}`;
  } catch (error) {
    return (error as Error).message;
  }
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
