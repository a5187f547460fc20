import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { containerCredentials } from "./container-credentials.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function write(path: string, content: object): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const login = (auth: string) => ({ auths: { "r.example.com": { auth } } });
const env = () => ({ HOME: folder, XDG_RUNTIME_DIR: join(folder, "run") });

it("the login of buildah is before the login of docker", () => {
  write(".docker/config.json", login("docker"));
  expect(containerCredentials(env())("r.example.com")).toBe("docker");
  write("run/containers/auth.json", login("buildah"));
  expect(containerCredentials(env())("r.example.com")).toBe("buildah");
  expect(containerCredentials(env())("other.example.com")).toBeUndefined();
});

it("REGISTRY_AUTH_FILE is the only file if it is set", () => {
  write(".docker/config.json", login("docker"));
  const file = write("own.json", { auths: { "r.example.com/team": { auth: "own" } } });
  const credentials = containerCredentials({ ...env(), REGISTRY_AUTH_FILE: file });
  expect(credentials("r.example.com")).toBe("own");
  expect(containerCredentials({ ...env(), REGISTRY_AUTH_FILE: "/nowhere" })("r")).toBeUndefined();
});

it.each([
  [`echo '{"Username":"AWS","Secret":"s"}'`, Buffer.from("AWS:s").toString("base64")],
  ["exit 1", undefined],
  ["exit 0", undefined],
  ["echo '{}'", undefined],
])("a credential helper (a stand-in) that runs %s gives the login %s", (script, expected) => {
  const helper = join(folder, "docker-credential-ecr-login");
  writeFileSync(helper, `#!/bin/sh\ncat > /dev/null\n${script}\n`);
  chmodSync(helper, 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  write(".docker/config.json", { credHelpers: { "r.example.com": "ecr-login" } });
  expect(containerCredentials(env())("r.example.com")).toBe(expected);
});

it("a helper that is not installed gives no login", () => {
  write(".docker/config.json", { credsStore: "missing" });
  expect(containerCredentials(env())("r.example.com")).toBeUndefined();
});
