import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wholeReleases } from "../../sdk/engines/options/release.ts";
import { readRelease } from "./read-release.ts";
import { releaseFiles } from "./release-files.ts";
import { folderOf, newestFirst, storedReleases } from "./stored-releases.ts";

/**
 * `npm run tool engine-releases -- ENGINE VERSION...`: reads the options, values and environment variables of releases of `vllm`
 * or `sglang` from their wheels on PyPI, and writes them into `sdk/engines/ENGINE/releases`, one file per version. A new version
 * also changes the file of the next older one, which contains the differences.
 */
const [engine = "", ...versions] = process.argv.slice(2);
const stored = storedReleases(engine);
if (stored.length === 0 || versions.length === 0)
  throw new Error(
    `The arguments are "${engine} ${versions.join(" ")}"; allowed: vllm or sglang, and versions on PyPI.`,
  );

const releases = new Map(wholeReleases(stored).map((release) => [release.version, release]));
let limits = stored[0]?.limits;
for (const version of versions) {
  const { limits: own, ...release } = readRelease(engine, version);
  releases.set(version, release);
  if ([...releases.values()].sort(newestFirst)[0] === release) limits = own;
  console.log(`read ${engine} ${version}`);
}

const folder = folderOf(engine);
for (const data of releaseFiles([...releases.values()].sort(newestFirst), limits))
  writeFileSync(join(folder, `${data.version}.json`), JSON.stringify(data));
execFileSync("biome", ["format", "--write", folder], { stdio: ["ignore", "ignore", "inherit"] });
