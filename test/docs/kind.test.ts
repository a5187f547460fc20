import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../testing/repository.ts";

const script = join(repositoryRoot, "scripts/kind.sh");
const kind = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("sh", [script, ...args], { encoding: "utf8" });
  return { status, out: stdout, err: stderr };
};
const isInstalled = spawnSync("shellcheck", ["--version"]).status === 0;
if (!isInstalled) console.warn("\n!! scripts/kind.sh IS NOT CHECKED BY shellcheck: install it\n");

describe("scripts/kind.sh, which is not run here", () => {
  it("a dry run prints the commands of the quickstart with the cluster's context", () => {
    const { status, out, err } = kind("--dry-run", "--name", "chat", "--port", "5002");
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const commands = out
      .split("\n")
      .flatMap((line) => (line.startsWith("+ ") ? line.slice(2) : []));
    const text = readFileSync(join(repositoryRoot, "examples/quickstart/README.md"), "utf8");
    const documented = text
      .split("\n")
      .filter((line) => /^(helm upgrade|kubectl apply)/.test(line));
    expect(documented).toHaveLength(5);
    const plain = commands.map((command) => command.replace(/ --(kube-)?context kind-chat/, ""));
    expect(plain.filter((command) => /^(helm|kubectl)/.test(command))).toEqual(documented);
    expect(commands.at(-1)).toBe(
      "npm run bootstrap -- --registry localhost:5002 --tls-verify=false",
    );
    expect(commands.filter((command) => command.startsWith("kind "))).toEqual([
      "kind create cluster --name chat --config - <<TEXT",
    ]);
    expect(out).toContain('[host."http://chat-registry:5000"]');
  });

  it("a dry run of --delete prints the commands that delete both", () => {
    expect(kind("--dry-run", "--delete").out.trim().split("\n")).toEqual([
      "+ kind delete cluster --name pulumi-inference",
      "+ docker rm --force pulumi-inference-registry",
    ]);
  });

  it.each([
    [["--prot", "1"], "--prot: is not an option"],
    [["--port", "a"], "--port: is 'a'; allowed: a number"],
    [["--port"], "--port: a value is missing"],
    [["--name", "$(id)"], "--name: is '$(id)'"],
  ])("refuses %j", (args, message) => {
    const { status, out, err } = kind("--dry-run", ...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(message);
  });

  it.skipIf(!isInstalled)("shellcheck has no finding", () => {
    const { stdout } = spawnSync("shellcheck", [script], { encoding: "utf8" });
    expect(stdout).toBe("");
  });
});

it("the devcontainer installs what the scripts need, on their platform", () => {
  const file = join(repositoryRoot, ".devcontainer/devcontainer.json");
  const { image, runArgs, postCreateCommand } = JSON.parse(readFileSync(file, "utf8"));
  expect({ image, runArgs, postCreateCommand }).toEqual({
    image: "node:24-bookworm",
    runArgs: ["--platform=linux/amd64", "--init"],
    postCreateCommand: "node scripts/install.js",
  });
});
