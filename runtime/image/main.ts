import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { buildImage } from "./build.ts";
import { ensureBuildah } from "./buildah.ts";
import { bundle, bundleFolder } from "./bundle.ts";
import { pushImage, readTarget, readTlsVerify } from "./push.ts";

const help = `Usage: npm run image -- [--push REGISTRY/NAME[:TAG]] [--tls-verify=false]

Builds the image of the endpoint picker and the controllers, without a daemon.

  (no option)                  writes dist/runtime/image.oci.tar for amd64, for \`podman load\` or \`ctr images import\`
  --push REGISTRY/NAME[:TAG]   builds it for amd64 and arm64, pushes both as one image, and prints the configuration
                               for stacks; default tag: the version of this package
  --tls-verify=false           accepts a registry without TLS or with a self-signed certificate
  --help                       prints this

Needs buildah (installed automatically if possible), and for --push also npm and Debian's packages. Log in with
\`buildah login REGISTRY\`; logins of \`docker login\` and \`podman login\` also work.
`;

/** The image as one file, for `podman load`, `skopeo copy` or `ctr images import`. */
const archiveFile = join(bundleFolder, "image.oci.tar");

function readOptions() {
  const { values } = parseArgs({
    options: {
      push: { type: "string" },
      "tls-verify": { type: "string", default: "true" },
      help: { type: "boolean", default: false },
    },
  });
  const tlsVerify = readTlsVerify(values["tls-verify"]);
  if (values.push !== undefined) readTarget(values.push);
  return { help: values.help, push: values.push, tlsVerify };
}

function optionsOrExit() {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

const options = optionsOrExit();
if (options.help) {
  process.stdout.write(help);
} else {
  ensureBuildah();
  await bundle(bundleFolder);
  if (options.push === undefined) {
    const digest = await buildImage(bundleFolder, archiveFile);
    console.log(`${relative(process.cwd(), archiveFile)} ${digest}`);
  } else {
    const image = await pushImage(bundleFolder, options.push, options);
    console.log(`${image}\n\npulumi config set pulumi-inference:image ${image}
pulumi config set pulumi-inference:sidecarImage ${image}   # restarts decoders that have a sidecar`);
  }
}
