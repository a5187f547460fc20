/** `npm run bootstrap`: packs the package and pushes the image, until both are published. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packPackage } from "../cli/init/own-package.ts";
import { ensureBuildah } from "../runtime/image/buildah.ts";
import { bundle, bundleFolder } from "../runtime/image/bundle.ts";
import { pushImage, readTarget, readTlsVerify } from "../runtime/image/push.ts";

const help = `Usage: npm run bootstrap -- --registry REGISTRY [--tls-verify=false] [--no-install]

Packs the npm package, pushes the image to REGISTRY/pulumi-inference, and prints the two commands that a Pulumi
project needs to use them.

  --registry REGISTRY   registry and path that you may push to and your cluster may pull from, such as
                        registry.example.com/team; log in with \`docker login\` before
  --tls-verify=false    accepts a registry without TLS, or with a self-signed certificate
  --realm HOST          lets another host than the registry's issue its tokens; may be repeated
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
      realm: { type: "string", multiple: true, default: [] },
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
  return { image, tlsVerify, realms: values.realm, install: !values["no-install"] };
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
  const repository = join(import.meta.dirname, "..");
  const file = packPackage(repository, join(repository, "dist"));
  await bundle(bundleFolder);
  const image = await pushImage(bundleFolder, target.image, target);
  console.log(`\nRun in your Pulumi project:\n\n${projectCommands(file, image)}`);
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
