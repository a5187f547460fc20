import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { folderOf, run } from "../sample.fixture.ts";

async function completionScript(): Promise<string> {
  const { code, out, err } = await run(["completion", "bash"]);
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
    const script = await completionScript();
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
    expect(await complete("completion", "")).toEqual(["bash"]);
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

it("completion of bash contains every command and flag", async () => {
  const script = await completionScript();
  for (const word of ["clusters", "request-id", "webhook-plugin-urls", "tensorrt-llm"])
    expect(script).toContain(word);
});

it("completion refuses an unknown shell", async () => {
  const { code, err } = await run(["completion", "fish"]);
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash.");
});
