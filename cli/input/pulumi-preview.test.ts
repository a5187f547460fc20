import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { folderOf, run } from "../sample.fixture.ts";

/** Programs in other languages, with a STAND-IN for the Pulumi CLI that prints what the real one printed. */

afterEach(() => void vi.unstubAllEnvs());

const urn = (type: string, name: string) => `urn:pulumi:dev::p::${type}::${name}`;
const deployment = "kubernetes:apps/v1:Deployment";

const step = (op: string, type: string, name: string, inputs: object, more: object = {}) => ({
  op,
  urn: urn(type, name),
  newState: { urn: urn(type, name), type, custom: true, inputs, ...more },
});

const engine = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "ml" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name: "e", image: "a:1", resources: { limits: { "nvidia.com/gpu": "2" } } }],
      },
    },
  },
});
const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } };

function project(printed: string, code = 0) {
  const folder = folderOf({ "Pulumi.yaml": "name: p\nruntime: yaml\n", "printed.json": printed });
  const bin = join(folder.path, "bin");
  mkdirSync(bin);
  const file = join(bin, "pulumi");
  writeFileSync(file, `#!/bin/sh\necho "no stack named $6" >&2\ncat printed.json\nexit ${code}\n`);
  chmodSync(file, 0o755);
  vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
  return folder;
}

const preview = (...steps: object[]) => JSON.stringify({ steps, diagnostics: [] });

it("objects of the CLI's preview are rendered, drawn and placed", async () => {
  using folder = project(preview(step("create", deployment, "vllm", engine("vllm"))));
  const rendered = await run(["render", folder.path]);
  expect(rendered).toMatchObject({ code: 0, err: "" });
  expect(rendered.out).toContain("kind: Deployment");
  expect((await run(["capacity", folder.path, "--nodes", "4,1"])).out).toMatch(
    /^5 +Partial \(2 of 3 vllm\) +1$/m,
  );
  expect((await run(["graph", folder.path])).out).toContain("Deployment<br/>vllm");
});

it("pods whose containers are a secret are neither passed, failed nor left out", async () => {
  const pods = engine("vllm");
  const { template } = pods.spec;
  Object.assign(template.spec, { containers: "[secret]" });
  using folder = project(preview(step("create", deployment, "vllm", pods)));
  const checked = await run(["check", folder.path]);
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("not known yet") });
  expect(checked.out).not.toContain("objects-have-their-shape");
  expect(await run(["capacity", folder.path, "--gpus", "8"])).toEqual({
    code: 2,
    out: "",
    err: expect.stringContaining("Deployment vllm: spec.template.spec.containers is a secret, or"),
  });
});

it("resources that the update deletes are left out, and replaced ones are there once", async () => {
  const vllm = engine("vllm");
  using folder = project(
    preview(
      step("create-replacement", deployment, "vllm", vllm),
      step("replace", deployment, "vllm", vllm),
      step("delete-replaced", deployment, "vllm", vllm),
      { op: "delete", urn: urn(deployment, "old"), oldState: { inputs: engine("old") } },
    ),
  );
  const { out } = await run(["render", folder.path]);
  expect(out.match(/kind: Deployment/g)).toHaveLength(1);
  expect(out).not.toContain("old");
});

describe("render refuses", () => {
  const dependent = (inputs: object) =>
    step("create", "kubernetes:core/v1:ConfigMap", "cm", inputs, {
      propertyDependencies: { data: [urn(deployment, "vllm")] },
    });
  const vllm = (op: string) => step(op, deployment, "vllm", engine("vllm"));

  it.each([
    [
      "a secret",
      [step("create", "kubernetes:core/v1:Secret", "s", { ...settings, data: "[secret]" })],
      "data is a secret, which manifests must not contain",
    ],
    [
      "a property that only the update knows, which the CLI omits",
      [vllm("create"), dependent(settings)],
      "data is known only after a deployment",
    ],
    [
      "a property in which the CLI may have omitted a value",
      [vllm("create"), dependent({ ...settings, data: { a: "1" } })],
      "cm: data depends on vllm, which the update changes",
    ],
  ])("%s", async (_, steps, message) => {
    using folder = project(preview(...steps));
    const { code, out, err } = await run(["render", folder.path]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("no property that depends on resources which stay as they are", async () => {
    using folder = project(preview(vllm("same"), dependent({ ...settings, data: { a: "1" } })));
    expect(await run(["render", folder.path])).toMatchObject({ code: 0, err: "" });
  });
});

it("a failed preview, another output and a missing CLI are errors", async () => {
  const message = async (printed: string, code?: number) => {
    using folder = project(printed, code);
    const ran = await run(["capacity", folder.path, "--gpus", "8"]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    return ran.err;
  };
  const failed = { steps: [], diagnostics: [{ severity: "error", message: "no such region" }] };
  expect(await message(JSON.stringify(failed), 1)).toContain("no such region");
  expect(await message("[1")).toContain("printed no list of steps");
  expect(await message("null")).toContain("printed no list of steps");
  expect(await message("", 255)).toContain(
    "pulumi preview failed with exit code 255: no stack named dev",
  );
  using folder = project("");
  vi.stubEnv("PATH", "/nowhere");
  expect((await run(["check", folder.path])).err).toContain(
    "the Pulumi CLI is not on PATH; install it, or write the program in TypeScript",
  );
});
