import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReleaseData, WholeRelease } from "../../sdk/engines/options/release-data.ts";

/** A release as `read-release.py` prints it. */
interface Printed extends Omit<WholeRelease, "version" | "values"> {
  readonly values: Readonly<Record<string, { values: readonly string[]; open: boolean }>>;
  readonly limits: ReleaseData["limits"];
}

/** Options that accept any string. The engine refuses unknown values after it has parsed its arguments. */
const checkedLater = ["--quantization", "--distributed-executor-backend"];

/** Downloads a wheel from PyPI, reads definitions from its source without running it, and deletes it. */
export function readRelease(
  engine: string,
  version: string,
): WholeRelease & Pick<Printed, "limits"> {
  const scratch = mkdtempSync(join(tmpdir(), "engine-release-"));
  try {
    const download = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", scratch];
    execFileSync("python3", ["-m", "pip", ...download, `${engine}==${version}`]);
    const [wheel = ""] = globSync(join(scratch, "*.whl"));
    execFileSync("python3", ["-m", "zipfile", "--extract", wheel, scratch]);
    const reader = join(import.meta.dirname, "read-release.py");
    const text = execFileSync("python3", [reader, engine, scratch], { maxBuffer: 1e8 });
    const { values, ...printed }: Printed = JSON.parse(String(text));
    const closed = Object.entries(values).filter(
      ([name, { open }]) => !open || checkedLater.includes(name),
    );
    return {
      ...{ version, ...printed },
      values: Object.fromEntries(closed.map(([name, each]) => [name, each.values])),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
