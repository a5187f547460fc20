import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type NpmRegistry, startNpmRegistry } from "./npm-registry.ts";

let folder: string;
let registry: NpmRegistry;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "npm-registry-"));
  registry = await startNpmRegistry({ names: ["one-file"], token: "right" });
  const source = join(folder, "source");
  mkdirSync(source);
  writeFileSync(join(source, "package.json"), '{ "name": "one-file", "version": "1.2.3" }');
  writeFileSync(join(source, "index.js"), "export const one = 1;\n");
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true });
});

/** Prints errors although `npm test` may have been started with `--silent`. */
const npm = (cwd: string, ...args: string[]) =>
  promisify(execFile)("npm", [...args, "--loglevel=error"], { cwd });

function publish(token: string) {
  const registryOf = `//${registry.url.slice("http://".length)}:_authToken`;
  return npm(
    join(folder, "source"),
    "publish",
    `--registry=${registry.url}`,
    `--${registryOf}=${token}`,
  );
}

it("a version is published once, with the right token, and installed with its integrity", async () => {
  await expect(publish("wrong")).rejects.toThrow(/E401/);
  expect(registry.published()).toEqual({});
  await publish("right");
  await expect(publish("right")).rejects.toThrow(/E403|previously published/);

  const user = join(folder, "user");
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), "{}");
  await npm(user, "install", "one-file", `--registry=${registry.url}`);
  const lock = JSON.parse(readFileSync(join(user, "package-lock.json"), "utf8"));
  const { version, integrity } = lock.packages["node_modules/one-file"];
  expect({ [`one-file@${version}`]: integrity }).toEqual(registry.published());
});

it("an archive with another integrity is rejected", async () => {
  const dist = {
    integrity: "sha512-other",
    tarball: `${registry.url}one-file/-/one-file-2.0.0.tgz`,
  };
  const answer = await fetch(`${registry.url}one-file`, {
    method: "PUT",
    headers: { authorization: "Bearer right", "content-type": "application/json" },
    body: JSON.stringify({
      "dist-tags": { latest: "2.0.0" },
      versions: { "2.0.0": { dist } },
      _attachments: { "one-file-2.0.0.tgz": { data: "AAAA" } },
    }),
  });
  expect(answer.status).toBe(400);
});

it("requests for other packages are redirected to the real registry", async () => {
  const { status, headers } = await fetch(`${registry.url}zod`, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([302, "https://registry.npmjs.org/zod"]);
});
