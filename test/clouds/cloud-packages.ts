import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "../../testing/processes/build-lock.ts";
import { repositoryRoot } from "../../testing/repository.ts";

const execute = promisify(execFile);

/** Clouds with a program in `examples/clouds`. */
export const clouds = ["gke", "eks", "aks"] as const;
export type Cloud = (typeof clouds)[number];

/** Folder of the program of a cloud. */
export const programOf = (cloud: Cloud) => join(repositoryRoot, "examples/clouds", cloud);

/** Returns the pinned packages of a program, by name. */
export const pinnedPackages = (cloud: Cloud): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(programOf(cloud), "package.json"), "utf8")).dependencies;

/** Packages that the programs take from this checkout, so that each is loaded once. */
export const ownPackages = ["@pulumi/pulumi", "@pulumi/kubernetes", "pulumi-inference"];

const pathOf = (name: string) =>
  name === "pulumi-inference" ? repositoryRoot : join(repositoryRoot, "node_modules", name);

/**
 * Returns the folder `node_modules` with the packages of all clouds. npm installs them once per set of versions, below
 * `node_modules/.cache`: they have hundreds of MB, so this package does not depend on them. Fails if npm cannot.
 */
export async function installCloudPackages(): Promise<string> {
  const packages = Object.assign({}, ...clouds.map(pinnedPackages)) as Record<string, string>;
  for (const name of ownPackages) delete packages[name];
  const key = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 8);
  const folder = join(repositoryRoot, "node_modules/.cache", `clouds-${key}`);
  await withLock(
    `${folder}.lock`,
    async () => {
      if (!existsSync(folder)) await install(packages, folder);
    },
    { onWait: () => process.stderr.write("Waiting for another process that runs npm ...\n") },
  );
  return join(folder, "node_modules");
}

async function install(packages: Record<string, string>, folder: string): Promise<void> {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  // npm must not select newer versions of packages that are replaced by links below.
  const dependencies = { ...packages, ...ownVersions() };
  writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true, dependencies }));
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  process.stderr.write(`npm installs ${names.join(", ")} ...\n`);
  try {
    await execute("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: partial,
      maxBuffer: 1e8,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(
      `npm could not install the packages of the clouds, ${names.join(", ")}. They are needed to check examples/clouds: connect to the registry, or set npm's \`registry\`.\n${stdout}${stderr}`,
    );
  }
  for (const name of ownPackages) {
    const link = join(partial, "node_modules", name);
    rmSync(link, { recursive: true, force: true });
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(pathOf(name), link);
  }
  renameSync(partial, folder);
}

/** Versions of `@pulumi/pulumi` and `@pulumi/kubernetes` in this checkout. */
function ownVersions(): Record<string, string> {
  const { devDependencies } = JSON.parse(
    readFileSync(join(repositoryRoot, "package.json"), "utf8"),
  );
  return Object.fromEntries(
    ownPackages
      .filter((name) => name in devDependencies)
      .map((name) => [name, devDependencies[name]]),
  );
}
