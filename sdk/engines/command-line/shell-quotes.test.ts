import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import { shellCommand, shellWord } from "./shell-quotes.ts";

/** Directory of programs with the engines' names that print their name and arguments, each ended by NUL. */
let bin: string;

beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), "shell-words-"));
  for (const program of ["ray", "vllm", "python"]) {
    writeFileSync(join(bin, program), `#!/bin/sh\nprintf '%s\\0' ${program} "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
});
afterAll(() => rmSync(bin, { recursive: true }));

/** Returns the argument vectors that a command starts in the container's shell. */
function run(script: string): string[] {
  const shell = spawnSync("/bin/sh", ["-c", script], {
    env: { PATH: `${bin}:/bin:/usr/bin`, LWS_LEADER_ADDRESS: "leader.svc" },
    encoding: "utf8",
  });
  expect(shell.stderr).toBe("");
  return shell.stdout.split("\0").slice(0, -1);
}

interface Engine {
  command: string[];
  args: string[];
}
type Templates = Record<"leaderTemplate" | "workerTemplate", { spec: { containers: Engine[] } }>;
interface WorkloadSpec {
  leaderWorkerTemplate: Templates;
}

const argument = fc
  .string({
    unit: fc.constantFrom(..."ab =-_/.,:;|&<>()[]{}$`\\\"'*?~!#%^+@\n\té".split("")),
    maxLength: 12,
  })
  .filter((text) => !text.includes("\0"));

describe("shellCommand", () => {
  it.each([
    ["--model", "--model"],
    ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
    ['{"a":1}', `'{"a":1}'`],
    ["it's", `'it'\\''s'`],
    ["", "''"],
    ["$HOME", "'$HOME'"],
    ["$(VAR)", "'$(VAR)'"],
  ])("writes %j as %s", (given, word) => {
    expect(shellWord(given)).toBe(word);
  });

  it("starts the same program with the same arguments", () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), (args) => {
        expect(run(shellCommand(["vllm", ...args]))).toEqual(["vllm", ...args]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the emitted bootstrap under a real shell", () => {
  const scriptOf = (plan: Manifest[], template: "leaderTemplate" | "workerTemplate"): string => {
    const spec = plan.find(({ kind }) => kind === "LeaderWorkerSet")?.spec as
      | WorkloadSpec
      | undefined;
    const [engine] = spec?.leaderWorkerTemplate[template].spec.containers ?? [];
    expect(engine?.command).toEqual(["/bin/sh", "-c"]);
    return engine?.args[0] ?? "";
  };
  const kvTransfer = '{"kv_connector":"PyNcclConnector","kv_role":"kv_producer"}';
  const plan = (fields: object) =>
    planInferenceService(
      service([
        worker({ multinode: { nodeCount: 2, executor: "ray" }, template: vllmTemplate(8, fields) }),
      ]),
    );

  it("starts Ray's head and then the engine with an unchanged JSON argument", () => {
    const script = scriptOf(
      plan({ args: ["--model", "m", "--kv-transfer-config", kvTransfer] }),
      "leaderTemplate",
    );
    expect(run(script)).toEqual([
      ...["ray", "start", "--head", "--port=6379"],
      ...["vllm", "serve", "--model", "m", "--kv-transfer-config", kvTransfer],
      ...["--distributed-executor-backend", "ray"],
    ]);
  });

  it("keeps the user's command and an executor flag that is already set", () => {
    const script = scriptOf(
      plan({ command: ["python", "-m", "server"], args: ["--distributed-executor-backend=ray"] }),
      "leaderTemplate",
    );
    expect(run(script).slice(4)).toEqual([
      "python",
      "-m",
      "server",
      "--distributed-executor-backend=ray",
    ]);
  });

  it("does not repeat a command that is given as arguments", () => {
    const script = scriptOf(plan({ args: ["vllm", "serve", "m"] }), "leaderTemplate");
    expect(run(script).slice(4, 7)).toEqual(["vllm", "serve", "m"]);
  });

  it("joins a worker to the leader in LWS_LEADER_ADDRESS", () => {
    expect(run(scriptOf(plan({}), "workerTemplate"))).toEqual([
      ...["ray", "start", "--address=leader.svc:6379", "--block"],
    ]);
  });
});
