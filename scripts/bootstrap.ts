/** `npm run bootstrap`: packs the package and pushes the image, until both are published. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuildah } from "../runtime/image/buildah.ts";
import { bundle, bundleFolder } from "../runtime/image/bundle.ts";
import { pushImage, readTarget, readTlsVerify } from "../runtime/image/push.ts";

const help = `Usage: npm run bootstrap -- --registry REGISTRY [--tls-verify=false]

Packs the npm package, pushes the image to REGISTRY/pulumi-inference, and prints the two commands that a Pulumi
project needs to use them.

  --registry REGISTRY   registry and path that you may push to and your cluster may pull from, such as
                        registry.example.com/team; log in with \`docker login\` before
  --tls-verify=false    accepts a registry without TLS, or with a self-signed certificate
`;

/** Returns the target in a command line; undefined if it only requests help. */
export function bootstrapTarget(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      registry: { type: "string" },
      "tls-verify": { type: "string", default: "true" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { registry } = values;
  if (registry === undefined) throw new Error("--registry: is missing");
  const tlsVerify = readTlsVerify(values["tls-verify"]);
  const image = `${registry.replace(/\/$/, "")}/pulumi-inference`;
  readTarget(image, "--registry");
  return { image, tlsVerify };
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
  const folder = join(import.meta.dirname, "..", "dist");
  mkdirSync(folder, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: join(folder, ".."),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const file = packed.trim().split("\n").at(-1) ?? "";
  ensureBuildah();
  await bundle(bundleFolder);
  const image = await pushImage(bundleFolder, target.image, target);
  console.log(`\nRun in your Pulumi project:\n\n${projectCommands(join(folder, file), image)}`);
}

if (import.meta.main) await main();
