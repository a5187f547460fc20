import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildKey, findBinaries } from "./binaries.ts";
import { pinnedVersion } from "./go-modules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "binaries-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function executable(path: string, script: string) {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

describe("KUBEBUILDER_ASSETS", () => {
  it("is used if it has both binaries", async () => {
    for (const name of ["kube-apiserver", "etcd"]) executable(join(folder, name), "true");
    await expect(findBinaries({ assets: folder })).resolves.toEqual({
      kubeApiserver: join(folder, "kube-apiserver"),
      etcd: join(folder, "etcd"),
    });
  });

  it("is refused with the name of the missing binary", async () => {
    executable(join(folder, "kube-apiserver"), "true");
    await expect(findBinaries({ assets: folder })).rejects.toThrow(
      `KUBEBUILDER_ASSETS is ${folder}, but there is no executable ${join(folder, "etcd")}.`,
    );
  });
});

describe("the build", () => {
  /** A `go` that notes its calls and writes what `-o` names. */
  function stubGo(script: string) {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const version = '[ "$1" = version ] && echo "go version go1.26.0 linux/amd64" && exit';
    executable(join(bin, "go"), `${version}\necho "$1 $PWD" >> "${folder}/calls"\n${script}`);
    vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
  }

  const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
  const writesOutput =
    'while [ "$1" != -o ]; do shift; done; echo "pkg/one" >&2; sleep 0.1; echo built > "$2"; chmod +x "$2"';

  it("runs once for concurrent and later callers", async () => {
    stubGo(writesOutput);
    const cache = join(folder, "cache");
    const options = { assets: undefined, cache, report: () => {} };
    const found = await Promise.all([1, 2, 3].map(() => findBinaries(options)));
    expect(new Set(found.map(({ etcd }) => etcd))).toEqual(
      new Set([join(cache, buildKey("etcd"), "etcd")]),
    );
    await findBinaries(options);
    expect(calls().map((call) => call.replace(/ .*\//, " "))).toEqual([
      "build kubernetes",
      "build etcd",
    ]);
  });

  it("leaves nothing behind when it fails, and its error contains the output of go", async () => {
    stubGo('echo "no required module provides package" >&2; exit 1');
    const cache = join(folder, "cache");
    await expect(findBinaries({ assets: "", cache, report: () => {} })).rejects.toThrow(
      /go build of k8s\.io\/kubernetes: exit code 1\n.*no required module provides package/,
    );
    expect(readdirSync(cache)).toEqual(["go-build.lock"]);
  });

  it("fails with instructions if neither Go nor Python is installed", async () => {
    vi.stubEnv("PATH", folder);
    const options = { assets: undefined, cache: join(folder, "cache"), report: () => {} };
    await expect(findBinaries(options)).rejects.toThrow(
      /Go 1\.26\.\d+ could not be installed[\s\S]*Install Go 1\.26 or newer .* or Python 3 with pip/,
    );
  });

  it("reports its progress", async () => {
    stubGo(writesOutput);
    const lines: string[] = [];
    await findBinaries({
      assets: undefined,
      cache: join(folder, "cache"),
      report: (line) => lines.push(line),
    });
    expect(lines[0]).toContain(`Building kube-apiserver ${pinnedVersion("kubernetes")}`);
    expect(lines.filter((line) => line.includes("done in"))).toHaveLength(2);
  });
});

it("binaries have pinned versions", () => {
  expect(pinnedVersion("kubernetes")).toMatch(/^v1\.36\.\d+$/);
  expect(pinnedVersion("gateway-api")).toMatch(/^v1\.4\.\d+$/);
  expect(pinnedVersion("pulumi")).toMatch(/^v3\.\d+\.0$/);
  expect(buildKey("vc-scheduler")).toMatch(/^vc-scheduler-v1\.14\.1-[0-9a-f]{8}$/);
});
