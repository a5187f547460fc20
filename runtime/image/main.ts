import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { buildImage } from "./build.ts";
import { ensureBuildah } from "./buildah.ts";
import { bundle, bundleFolder } from "./bundle.ts";
import { pushImage, readTarget, readTlsVerify } from "./push.ts";

const help = `Usage: npm run image -- [--push REGISTRY/NAME[:TAG]] [--tls-verify=false] [--no-install]

Builds the image of the endpoint picker and the controllers, without a daemon.

  (no option)                  writes dist/runtime/image.oci.tar for amd64, for \`podman load\` or \`ctr images import\`
  --push REGISTRY/NAME[:TAG]   builds it for amd64 and arm64, pushes both as one image, and prints the configuration
                               for stacks; default tag: the version of this package
  --tls-verify=false           accepts a registry without TLS or with a self-signed certificate
  --realm HOST                 lets another host than the registry's issue its tokens; may be repeated
  --no-install                 fails if buildah is missing; default: \`apt-get install buildah\` if this runs as root
  --help                       prints this

Needs buildah, and for --push also npm and Debian's packages. Log in with \`buildah login REGISTRY\`; logins of
\`docker login\` and \`podman login\` also work. After a push, the image is read back from the registry, with every blob.
`;

/** The image as one file, for `podman load`, `skopeo copy` or `ctr images import`. */
const archiveFile = join(bundleFolder, "image.oci.tar");

function readOptions() {
  const { values } = parseArgs({
    options: {
      push: { type: "string" },
      "tls-verify": { type: "string", default: "true" },
      realm: { type: "string", multiple: true, default: [] },
      "no-install": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const tlsVerify = readTlsVerify(values["tls-verify"]);
  if (values.push !== undefined) readTarget(values.push);
  const { help, push, "no-install": noInstall } = values;
  return { help, push, tlsVerify, realms: values.realm, install: !noInstall };
}

function optionsOrExit() {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

async function main(): Promise<void> {
  const options = optionsOrExit();
  if (options.help) return void process.stdout.write(help);
  ensureBuildah(options);
  await bundle(bundleFolder);
  if (options.push === undefined) {
    const digest = await buildImage(bundleFolder, archiveFile);
    return console.log(`${relative(process.cwd(), archiveFile)} ${digest}`);
  }
  const image = await pushImage(bundleFolder, options.push, options);
  console.log(`${image}\n\npulumi config set pulumi-inference:image ${image}
pulumi config set pulumi-inference:sidecarImage ${image}   # restarts decoders that have a sidecar`);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
