import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadRelease, releaseText } from "./release-text.ts";

/**
 * `npm run engine-releases`: writes the options, values and environment variables of engine releases into
 * `sdk/engines/releases`, one file per version. It downloads each wheel from PyPI, one at a time, reads definitions
 * from its source without running it, and deletes it. Run it after a release of an engine, with its version added here.
 */
const versions = {
  vllm: ["0.33.0", "0.32.0", "0.31.0", "0.30.0", "0.29.0", "0.28.0", "0.27.1", "0.26.0"],
  sglang: ["0.5.23", "0.5.22", "0.5.21", "0.5.20", "0.5.19", "0.5.18"],
};

const folder = join(import.meta.dirname, "../../sdk/engines/releases");

for (const [engine, names] of Object.entries(versions)) {
  let newer: ReadRelease | undefined;
  for (const version of names) {
    const release = read(engine, version);
    writeFileSync(join(folder, `${engine}-${version}.ts`), releaseText(engine, release, newer));
    newer = release;
    console.log(`wrote ${engine} ${version}`);
  }
}

/** Downloads a wheel, reads its definitions, and deletes it. */
function read(engine: string, version: string): ReadRelease {
  const scratch = mkdtempSync(join(tmpdir(), "engine-release-"));
  try {
    const download = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", scratch];
    execFileSync("python3", ["-m", "pip", ...download, `${engine}==${version}`]);
    const [wheel = ""] = globSync(join(scratch, "*.whl"));
    execFileSync("python3", ["-m", "zipfile", "--extract", wheel, scratch]);
    const reader = join(import.meta.dirname, "read-release.py");
    const text = execFileSync("python3", [reader, engine, scratch], { maxBuffer: 1e8 });
    return { version, ...JSON.parse(String(text)) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
