import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, onTestFinished } from "vitest";
import { InferenceService, type InferenceServiceArgs } from "../components/index.ts";
import { previewedState } from "../testing/programs/previewed-state.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { vllmTemplate, worker } from "../testing/samples/sample-service.ts";
import { checkUpgrade } from "./index.ts";

interface Service {
  readonly component?: string;
  readonly namespace?: string;
  readonly engine?: object;
  readonly opts?: pulumi.ComponentResourceOptions;
}

const serving = ({ component = "svc", namespace = "prod", engine = {}, opts }: Service = {}) => {
  const template = vllmTemplate(8, engine);
  const args = {
    metadata: { name: "svc", namespace },
    roles: [worker({ replicas: 3, template })],
  };
  return async () => void new InferenceService(component, args as InferenceServiceArgs, opts);
};
const unchanged = {
  ...{ replaced: [], deleted: [], created: [], updated: [], restarted: [] },
  ...{ restartedGpus: 0, services: [] },
};
const set = "LeaderWorkerSet prod/svc-inference";
/** Environment of the engine with a secret value. */
const token = (value: string) => ({
  env: [{ name: "HF_TOKEN", value: pulumi.secret(value) }],
});

/** Returns the impact of an update from one program to another. */
const upgrade = async (before: () => Promise<unknown>, run: () => Promise<unknown>) =>
  checkUpgrade({ state: await previewedState(before), program: { run } });

const encrypted = (state: object) =>
  JSON.stringify(state).replaceAll(/"plaintext":"(?:[^"\\]|\\.)*"/g, '"ciphertext":"AAABAK"');

describe("checkUpgrade", () => {
  it("returns an empty impact for an unchanged program, from text and from an object", async () => {
    const state = await previewedState(serving());
    const program = { run: serving() };
    expect(await checkUpgrade({ state, program })).toEqual(unchanged);
    expect(await checkUpgrade({ state: JSON.stringify(state), program })).toEqual(unchanged);
  });

  it("names the LeaderWorkerSets whose pod template changes, and counts their GPUs", async () => {
    const impact = await upgrade(serving(), serving({ engine: { image: "vllm:new" } }));
    expect(impact).toMatchObject({
      ...{ replaced: [], deleted: [], created: [], updated: [set], restarted: [set] },
      ...{ restartedGpus: 24, services: [{ service: "prod/svc", roles: [{ lowest: 2 }] }] },
    });
  });

  it("names deleted objects of a renamed component with the advice to add an alias", async () => {
    const impact = await upgrade(serving(), serving({ component: "other" }));
    expect(impact.created).toContain(set);
    expect(impact.deleted).toContainEqual({
      ...{ object: set, operation: "delete", because: [] },
      advice:
        'Component svc is now other. Add its old name to its options: aliases: [{ name: "svc" }].',
    });
    const aliased = serving({ component: "other", opts: { aliases: [{ name: "svc" }] } });
    expect(await upgrade(serving(), aliased)).toEqual(unchanged);
  });

  it("names replaced objects with the changed field", async () => {
    const { replaced } = await upgrade(serving(), serving({ namespace: "other" }));
    expect(replaced).toContainEqual(
      expect.objectContaining({ object: set, because: ["metadata.namespace"] }),
    );
  });

  it("reads values of the cluster and of other stacks from the state", async () => {
    const run = async () => {
      const platform = new pulumi.StackReference("organization/platform/prod");
      const { data } = k8s.core.v1.ConfigMap.get("read", "prod/there");
      const values = {
        namespace: platform.getOutput("namespace"),
        mode: data.apply(({ mode = "" }) => mode),
      };
      return void new k8s.core.v1.ConfigMap("made", { metadata: { name: "made" }, data: values });
    };
    const made = await previewedState(async () => {
      const data = { namespace: "prod", mode: "fast" };
      new k8s.core.v1.ConfigMap("made", { metadata: { name: "made" }, data });
    });
    const read = (type: string, name: string, id: string, outputs: object) => ({
      urn: `urn:pulumi:s::p::${type}::${name}`,
      ...{ custom: true, external: true, type, id, inputs: {}, outputs },
    });
    const name = "organization/platform/prod";
    const reference = { name, outputs: { namespace: "prod" }, secretOutputNames: [] };
    const { resources } = made.deployment;
    const deployment = {
      ...made.deployment,
      resources: [
        ...resources,
        read("pulumi:pulumi:StackReference", name, name, reference),
        read("kubernetes:core/v1:ConfigMap", "read", "prod/there", { data: { mode: "fast" } }),
      ],
    };
    const state = { ...made, deployment };
    expect(await checkUpgrade({ state, program: { run } })).toEqual(unchanged);
  });

  it("runs the program of a folder with the configuration of its stack, or with the given one", async () => {
    const dir = mkdtempSync(join(tmpdir(), "upgrade-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const write = (file: string, text: string) => writeFileSync(join(dir, file), text);
    symlinkSync(join(repositoryRoot, "node_modules"), join(dir, "node_modules"));
    write("Pulumi.yaml", "name: p\nruntime: { name: nodejs, options: { typescript: false } }\n");
    write("Pulumi.s.yaml", "config: { p:mode: fast }\n");
    write("package.json", '{ "type": "module", "main": "index.js" }');
    write(
      "index.js",
      `import * as k8s from "@pulumi/kubernetes";
       import * as pulumi from "@pulumi/pulumi";
       const data = { mode: new pulumi.Config().require("mode") };
       new k8s.core.v1.ConfigMap("made", { metadata: { name: "made" }, data });`,
    );
    const state = await previewedState(async () => {
      new k8s.core.v1.ConfigMap("made", { metadata: { name: "made" }, data: { mode: "fast" } });
    });
    expect(await checkUpgrade({ state, program: { dir } })).toEqual(unchanged);
    const { replaced } = await checkUpgrade({ state, program: { dir }, config: { mode: "slow" } });
    expect(replaced).toMatchObject([{ object: "ConfigMap default/made", because: ["data.mode"] }]);
    write("Pulumi.yaml", "name: other\nruntime: nodejs\n");
    await expect(checkUpgrade({ state, program: { dir } })).rejects.toThrow(
      `state: belongs to project "p", but the program in ${dir} is project "other"; export a stack of that project`,
    );
  });
});

describe("secrets", () => {
  it("secrets are compared if the export shows them", async () => {
    const before = serving({ engine: token("a") });
    expect(await upgrade(before, before)).toEqual(unchanged);
    const { restarted } = await upgrade(before, serving({ engine: token("b") }));
    expect(restarted).toEqual([set]);
  });

  it("secrets count as unchanged if they are encrypted", async () => {
    const state = encrypted(await previewedState(serving({ engine: token("a") })));
    expect(state).toContain("ciphertext");
    const check = (engine: object) =>
      checkUpgrade({ state, program: { run: serving({ engine }) } });
    expect(await check(token("b"))).toEqual(unchanged);
    const { restarted } = await check({ ...token("b"), image: "vllm:new" });
    expect(restarted).toEqual([set]);
  });

  it("encrypted secrets are refused if they contain a whole part of a LeaderWorkerSet", async () => {
    const args = pulumi.secret(["--model", "m"]);
    const state = encrypted(await previewedState(serving({ engine: { args } })));
    await expect(
      checkUpgrade({ state, program: { run: serving({ engine: { args } }) } }),
    ).rejects.toThrow(
      "the preview failed: svc-leaderworkerset-inference: a secret contains a whole part of the object",
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
  ])("checkUpgrade refuses %s as the state", async (_, state, message) => {
    await expect(checkUpgrade({ state, program: { run: serving() } })).rejects.toThrow(message);
  });

  it("checkUpgrade throws if the preview fails", async () => {
    const state = await previewedState(serving());
    const run = async () => void new InferenceService("svc", { roles: [] });
    await expect(checkUpgrade({ state, program: { run } })).rejects.toThrow("the preview failed:");
  });
});
