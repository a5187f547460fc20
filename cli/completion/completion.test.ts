import { spawnSync } from "node:child_process";

import { describe, expect, it } from "vitest";
import { folderOf, run } from "../sample.fixture.ts";

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

async function scriptOf(shell: string): Promise<string> {
  const { code, out, err } = await run(["completion", shell]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

/** Returns the candidates of bash for a command line with an incomplete last word. */
async function bash(cwd: string, ...words: string[]): Promise<string[]> {
  const typed = ["pulumi-inference", ...words].map((word) => `'${word}'`).join(" ");
  const script = `source completion
complete -p pulumi-inference >&2
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}
_pulumi_inference; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", script], {
    cwd,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: "complete -F _pulumi_inference pulumi-inference\n",
  });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  const complete = async (...words: string[]) => {
    const script = await scriptOf("bash");
    using folder = folderOf({ completion: script, "service.yaml": "", "two words.yaml": "" });
    return bash(folder.path, ...words);
  };

  it("offers the commands", async () => {
    expect(await complete("c")).toEqual(["check", "capacity", "crds", "clusters", "completion"]);
  });

  it("offers the flags of the command", async () => {
    expect(await complete("check", "--p")).toEqual(["--pack", "--plugin-modules"]);
    expect(await complete("render", "--p")).toEqual(["--plugin-modules"]);
    expect(await complete("--v")).toEqual(["--version"]);
  });

  it("offers the values of a flag", async () => {
    expect(await complete("check", "--format", "")).toEqual(["text", "json", "sarif", "junit"]);
    expect(await complete("check", "--format", "=", "s")).toEqual(["sarif"]);
    expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await complete("help", "re")).toEqual(["render", "request"]);
  });

  it("offers files for arguments and flags that take files", async () => {
    expect(await complete("render", "s")).toEqual(["service.yaml"]);
    expect(await complete("render", "-f", "two")).toEqual(["two words.yaml"]);
    expect(await complete("check", "--config", "s")).toEqual(["service.yaml"]);
  });

  it("offers nothing for a value of unknown type", async () => {
    expect(await complete("status", "s")).toEqual([]);
    expect(await complete("check", "--stack", "s")).toEqual([]);
  });
});

it.runIf(has("zsh"))("completion in zsh offers commands, flags, values and files", async () => {
  using folder = folderOf({ _pi: await scriptOf("zsh"), "service.yaml": "" });
  const lines = [
    "PS1=; autoload -Uz compinit; compinit -u -D; source ./_pi",
    'pulumi-inference() { print -r -- "GOT:$*:" }',
    "pulumi-inference check --format s\\t",
    "pulumi-inference rend\\tser\\t",
    "pulumi-inference check --allow\\t",
    "pulumi-inference comp\\tf\\t",
  ];
  // The test types keys into an interactive shell, which completes at each tab.
  const script = [
    "zmodload zsh/zpty; zpty z zsh -f -i",
    ...lines.map((line) => `zpty -n -w z $'${line.replaceAll("'", "\\'")}\\n'; sleep 1`),
    'while zpty -r -t z line; do print -r -- "$line"; done; zpty -d z',
  ].join("\n");
  const { stdout } = spawnSync("zsh", ["-f", "-c", script], { cwd: folder.path, encoding: "utf8" });
  const got = [...stdout.matchAll(/^GOT:(.*):/gm)].map(([, line]) => line);
  expect(got).toEqual([
    "check --format sarif",
    "render service.yaml",
    "check --allow-empty",
    "completion fish",
  ]);
});

it.runIf(has("fish"))("completion in fish offers commands, flags, values and files", async () => {
  using folder = folderOf({ "pi.fish": await scriptOf("fish"), "service.yaml": "" });
  const complete = (line: string) => {
    const command = `source pi.fish; complete -C '${line}'`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", command], {
      cwd: folder.path,
      encoding: "utf8",
      env: { ...process.env, HOME: folder.path },
    });
    return stdout.split("\n").flatMap((each) => (each === "" ? [] : [each.split("\t")[0]]));
  };
  expect(complete("pulumi-inference cap")).toEqual(["capacity"]);
  expect(complete("pulumi-inference check --format s")).toEqual(["sarif"]);
  expect(complete("pulumi-inference check --allow")).toEqual(["--allow-empty"]);
  expect(complete("pulumi-inference render s")).toEqual(["service.yaml"]);
  expect(complete("pulumi-inference status s")).toEqual([]);
  expect(complete("pulumi-inference help rende")).toEqual(["render"]);
});

it.each([["bash"], ["zsh"], ["fish"]])(
  "completion of %s contains every command and flag",
  async (shell) => {
    const script = await scriptOf(shell);
    for (const word of ["clusters", "request-id", "webhook-plugin-urls", "tensorrt-llm"])
      expect(script).toContain(word);
  },
);

it("completion refuses an unknown shell", async () => {
  const { code, err } = await run(["completion", "tcsh"]);
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash, zsh, fish.");
});
