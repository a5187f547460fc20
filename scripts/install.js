// Brings node_modules in line with the lockfile. Plain JavaScript for Node 20: it runs before Node 24 is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, "node_modules", ".lockfile-stamp");
const stamp = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error(
    `The tests, the demo and the other scripts of this repository run on Linux on x86-64; this is ${process.platform} on ${process.arch}.
Use a Linux machine on x86-64, a virtual machine or a container:
  docker run --rm -it --platform linux/amd64 -v "$PWD":/work -w /work node:24 npm test
Programs that use the npm package pulumi-inference run wherever Node.js does.`,
  );
  process.exit(1);
}

const modules = join(root, "node_modules");
if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
  console.error(
    `${modules} is a symbolic link, and npm ci would empty the folder that it leads to. Copy the folder instead: cp -a.`,
  );
  process.exit(1);
}

const installed = existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
if (!installed) {
  console.error(
    "Installing dependencies with npm ci (the lockfile changed or this is a fresh clone) ...",
  );
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (npm.status !== 0) {
    console.error(`npm ci failed with exit code ${npm.status}; see its messages above.`);
    process.exit(1);
  }
  const node = join(modules, ".bin", "node");
  if (!existsSync(node)) {
    console.error(
      `npm ci ended with exit code 0, but did not install ${node}. Run npm ci by hand.`,
    );
    process.exit(1);
  }
  writeFileSync(stampFile, stamp);
}
