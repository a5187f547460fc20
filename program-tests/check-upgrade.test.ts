import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { previewedState } from "../testing/programs/previewed-state.ts";
import { findPulumi } from "../testing/programs/pulumi-programs.ts";
import { type Service, serving } from "./fixtures/serving.ts";
import { checkUpgrade } from "./index.ts";

const dir = join(import.meta.dirname, "fixtures", "program");

beforeAll(async () => {
  vi.stubEnv("PATH", (await findPulumi()).path);
  return () => vi.unstubAllEnvs();
}, 1_800_000);

const unchanged = {
  ...{ replaced: [], deleted: [], created: [], updated: [], restarted: [] },
  ...{ restartedGpus: 0, services: [] },
};
const set = "LeaderWorkerSet prod/svc-inference";

const check = (state: object | string, after: Service) =>
  checkUpgrade({ state, dir, config: { service: JSON.stringify(after) } });

/** Returns the impact of an update from one program to another. */
const upgrade = async (before: Service, after: Service) =>
  check(await previewedState(serving(before)), after);

const encrypted = (state: object) =>
  JSON.stringify(state).replaceAll(/"plaintext":"(?:[^"\\]|\\.)*"/g, '"ciphertext":"AAABAK"');

describe("checkUpgrade", () => {
  it("returns an empty impact for an unchanged program, with the configuration of its stack", async () => {
    const state = await previewedState(serving());
    expect(await checkUpgrade({ state: JSON.stringify(state), dir })).toEqual(unchanged);
  });

  it("names the LeaderWorkerSets whose pod template changes, and counts their GPUs", async () => {
    expect(await upgrade({}, { image: "vllm:new" })).toMatchObject({
      ...{ replaced: [], deleted: [], created: [], updated: [set], restarted: [set] },
      ...{ restartedGpus: 24, services: [{ service: "prod/svc", roles: [{ lowest: 2 }] }] },
    });
  });

  it("names deleted objects of a renamed component with the advice to add an alias", async () => {
    const impact = await upgrade({}, { component: "other" });
    expect(impact.created).toContain(set);
    expect(impact.deleted).toContainEqual({
      ...{ object: set, operation: "delete", because: [] },
      advice:
        'Component svc is now other. Add its old name to its options: aliases: [{ name: "svc" }].',
    });
    expect(await upgrade({}, { component: "other", alias: "svc" })).toEqual(unchanged);
  });

  it("names replaced objects with the changed field", async () => {
    const { replaced } = await upgrade({}, { namespace: "other" });
    expect(replaced).toContainEqual(
      expect.objectContaining({ object: set, because: ["metadata.namespace"] }),
    );
  });

  it("reads the outputs of other stacks from the state", async () => {
    const { deployment, ...rest } = await previewedState(serving());
    const name = "organization/platform/prod";
    const reference = {
      urn: `urn:pulumi:s::p::pulumi:pulumi:StackReference::${name}`,
      ...{ custom: true, external: true, type: "pulumi:pulumi:StackReference", id: name },
      ...{ inputs: {}, outputs: { name, outputs: { namespace: "prod" }, secretOutputNames: [] } },
    };
    const state = {
      ...rest,
      deployment: { ...deployment, resources: [...deployment.resources, reference] },
    };
    const { created, ...others } = await check(state, { reads: true });
    expect(created).toEqual(["ConfigMap default/made"]);
    expect(others).toMatchObject({ replaced: [], deleted: [], updated: [] });
  });
});

describe("secrets", () => {
  it("secrets are compared if the export shows them", async () => {
    expect(await upgrade({ token: "a" }, { token: "a" })).toEqual(unchanged);
    expect((await upgrade({ token: "a" }, { token: "b" })).restarted).toEqual([set]);
  });

  it("secrets count as unchanged if they are encrypted", async () => {
    const state = encrypted(await previewedState(serving({ key: "a" })));
    expect(state).toContain("ciphertext");
    expect(await check(state, { key: "b" })).toEqual(unchanged);
    expect((await check(state, { key: "b", image: "vllm:new" })).restarted).toEqual([set]);
  });

  it("encrypted secrets in pods are refused, because they hide the whole list of containers", async () => {
    const state = encrypted(await previewedState(serving({ token: "a" })));
    await expect(check(state, { token: "a" })).rejects.toThrow(
      `state: its encrypted secrets hide the pods of ${set}; export it with`,
    );
  });
});

describe("state", () => {
  it.each([
    ["a path", "prod.json", "state: is not JSON; allowed: the output of `pulumi stack export`"],
    ["a preview", '{"steps":[]}', "state: has no `version` and `deployment`; allowed:"],
    ["version 2", { version: 2, deployment: {} }, "state: version is 2; allowed: 3 and 4."],
    [
      "an empty stack",
      { version: 3, deployment: { manifest: {} } },
      "state: contains no resources; export the stack after `pulumi up`",
    ],
    [
      "a stack whose name is a path",
      {
        version: 3,
        deployment: { resources: [{ urn: "urn:pulumi:../x::p::a:b:C::n", type: "a" }] },
      },
      'state: "../x" is not the name of a project or a stack; allowed:',
    ],
    [
      "a stack of another project",
      { version: 3, deployment: { resources: [{ urn: "urn:pulumi:s::q::a:b:C::n", type: "a" }] } },
      'state: belongs to project "q", but the program in',
    ],
  ])("checkUpgrade refuses %s as the state", async (_, state, message) => {
    await expect(checkUpgrade({ state, dir })).rejects.toThrow(message);
  });

  it("checkUpgrade throws if the preview fails, or the CLI is missing", async () => {
    const state = await previewedState(serving());
    await expect(check(state, { wrong: true })).rejects.toThrow("the preview failed:");
    vi.stubEnv("PATH", "/nowhere");
    await expect(check(state, {})).rejects.toThrow("the Pulumi CLI is not on PATH");
  });
});

it.each([
  ["prints nothing", "exit 0", "not JSON"],
  ["prints no steps", `echo '{"steps":[]}'`, "the preview contains no object"],
  ["fails without an error", `echo '{"steps":[]}'; exit 3`, "failed with exit code 3"],
  ["is killed", "kill -9 $$", "ended with SIGKILL"],
])("checkUpgrade does not take a CLI that %s for a success", async (_, script, message) => {
  const folder = mkdtempSync(join(tmpdir(), "lying-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "pulumi"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "pulumi"), 0o755);
  vi.stubEnv("PATH", `${folder}:/bin:/usr/bin`);
  const state = await previewedState(serving());
  await expect(check(state, {})).rejects.toThrow(message);
});
