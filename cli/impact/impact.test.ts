import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { planInferenceService } from "../../sdk/index.ts";
import {
  decoder,
  prefiller,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { folderOf, run } from "../sample.fixture.ts";

type Roles = Parameters<typeof service>[0];

/** The output of `pulumi preview --json --show-sames` for an edit of a service's roles. */
function previewOf(before: Roles, after: Roles, more: object = {}): string {
  const [old, fresh] = [before, after].map(
    (roles) =>
      new Map(
        planInferenceService(service(roles)).map((object) => [
          `${object.kind} ${object.metadata.name}`,
          object,
        ]),
      ),
  ) as [Map<string, object>, Map<string, object>];
  const steps = [...new Set([...old.keys(), ...fresh.keys()])].map((key) => {
    const [was, is] = [old.get(key), fresh.get(key)];
    const isSame = JSON.stringify(was) === JSON.stringify(is);
    return {
      op: was === undefined ? "create" : is === undefined ? "delete" : isSame ? "same" : "update",
      urn: `urn:pulumi:dev::p::type::svc-${key.toLowerCase().replace(" ", "-")}`,
      ...(was && { oldState: { type: "kubernetes", inputs: was } }),
      ...(is && { newState: { type: "kubernetes", inputs: is } }),
    };
  });
  const component = {
    op: "same",
    urn: "urn:pulumi:dev::p::stack::p-dev",
    oldState: {},
    newState: {},
  };
  return JSON.stringify({ steps: [component, ...steps], ...more });
}

const newImage = vllmTemplate(8, { image: "vllm/vllm-openai:v0.11.1" });
const multinode = { nodeCount: 2 };
const impact = async (preview: string, ...args: string[]) => {
  using folder = folderOf({ "preview.json": preview });
  return await run(["impact", join(folder.path, "preview.json"), ...args]);
};
const newImageOfThree = previewOf(
  [worker({ replicas: 3 })],
  [worker({ replicas: 3, template: newImage })],
);

describe("impact", () => {
  it("prints the replicas and GPUs that restart, and the lowest number of replicas that serve", async () => {
    expect(await impact(newImageOfThree)).toEqual({
      code: 0,
      out: `SERVICE      ROLE       EFFECT                          GPUS  AWAY  LOWEST
default/svc  inference  3 restart, one after the other  24    1     2 of 3

24 GPUs restart or stop; objects: 0 created, 1 updated, 0 replaced, 0 deleted
`,
      err: "",
    });
  });

  it("prints Markdown for a pull request", async () => {
    const { out } = await impact(
      newImageOfThree,
      "--format",
      "markdown",
      "--max-restarted-gpus",
      "8",
    );
    expect(
      out,
    ).toBe(`### 24 GPUs restart or stop; objects: 0 created, 1 updated, 0 replaced, 0 deleted

| service | role | effect | GPUs | away at once | lowest |
|---|---|---|---|---|---|
| default/svc | inference | 3 restart, one after the other | 24 | 1 | 2 of 3 |

- **24 GPUs restart or stop; --max-restarted-gpus allows 8**
`);
  });

  it.each([
    ["--max-restarted-gpus 24", 0, ""],
    ["--max-restarted-gpus 23", 1, "24 GPUs restart or stop; --max-restarted-gpus allows 23\n"],
    ["--max-restarted-gpus 0", 1, "24 GPUs restart or stop; --max-restarted-gpus allows 0\n"],
    ["--no-replace --no-delete", 0, ""],
  ])("with %s exits with %i", async (args, code, err) => {
    expect(await impact(newImageOfThree, ...args.split(" "))).toMatchObject({ code, err });
  });

  it.each([
    ["the containers", (spec: { containers: unknown }) => ({ ...spec, containers: "[secret]" })],
    [
      "a variable",
      (spec: { containers: unknown }) => {
        const [engine] = spec.containers as object[];
        return { ...spec, containers: [{ ...engine, env: [{ name: "A", value: "[secret]" }] }] };
      },
    ],
  ])("does not pass a limit if the preview hides %s of changed pods", async (_, hide) => {
    const { steps } = JSON.parse(newImageOfThree);
    for (const { oldState, newState } of steps)
      for (const { inputs } of [oldState, newState]) {
        const pods = inputs?.spec?.leaderWorkerTemplate?.workerTemplate;
        if (pods !== undefined) pods.spec = hide(pods.spec);
      }
    const { code, out, err } = await impact(
      JSON.stringify({ steps }),
      "--max-restarted-gpus",
      "99",
    );
    expect(code).toBe(1);
    expect(out).toContain(
      "Not counted, because the preview hides secrets in their pods: LeaderWorkerSet default/svc-inference.",
    );
    expect(err).toContain("the GPUs of LeaderWorkerSet default/svc-inference are not known");
  });

  it("counts replicas that are removed if the preview omits unchanged objects", async () => {
    const pair = (replicas: number) => [prefiller(), decoder({ replicas, multinode })];
    const { steps } = JSON.parse(previewOf(pair(4), pair(3))) as { steps: { op: string }[] };
    const changed = JSON.stringify({ steps: steps.filter(({ op }) => op !== "same") });
    const { out } = await impact(changed, "--format", "json");
    expect(JSON.parse(out)).toMatchObject({
      restartedGpus: 0,
      deleted: 1,
      services: [{ lost: [{ object: "LeaderWorkerSet default/svc-decode-3" }] }],
    });
  });

  it("reports a renamed role as a role that stops, with the advice to keep its name", async () => {
    const renamed = previewOf([worker({ replicas: 2 })], [worker({ name: "serve", replicas: 2 })]);
    const { code, out } = await impact(renamed, "--no-delete");
    expect(code).toBe(1);
    expect(out).toContain("inference  2 stop together  16    2     0 of 2");
    expect(out).toContain(
      "The update creates role serve and deletes role inference. Keep the name of the role.",
    );
  });

  it.each([
    ["not JSON", "steps", "not JSON; allowed: the output of `pulumi preview --json`"],
    ["another object", "{}", "no steps; allowed: the output of `pulumi preview --json`"],
    [
      "a failed preview",
      JSON.stringify({ diagnostics: [{ severity: "error", message: "no cluster" }] }),
      "the preview failed: no cluster",
    ],
  ])("rejects %s", async (_, text, message) => {
    const { code, err } = await impact(text);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it("names the way out without a Pulumi CLI", async () => {
    using folder = folderOf({});
    const { PATH } = process.env;
    process.env.PATH = "/nowhere";
    try {
      const { code, err } = await run(["impact", folder.path]);
      expect(code).toBe(2);
      expect(err).toContain("the Pulumi CLI is not on PATH; install it, or name a file");
    } finally {
      process.env.PATH = PATH;
    }
  });

  it.each([
    ["exit 0", "not JSON"],
    ['echo "$WHOLE"; echo lost >&2; exit 255', "pulumi preview failed with exit code 255: lost"],
    ['echo "$WHOLE"; kill -9 $$', "pulumi preview failed with SIGKILL"],
    [`echo '{"diagnostics":[{"severity":"error","message":"no cluster"}]}'; exit 1`, "no cluster"],
  ])("refuses the output of a Pulumi CLI (a stand-in) that runs %s", async (script, message) => {
    using folder = folderOf({ pulumi: `#!/bin/sh\n${script}\n` });
    chmodSync(join(folder.path, "pulumi"), 0o755);
    vi.stubEnv("PATH", folder.path);
    vi.stubEnv("WHOLE", newImageOfThree);
    const { code, err } = await run(["impact", folder.path]).finally(() => vi.unstubAllEnvs());
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });
});
