import { describe, expect, it } from "vitest";
import { engines } from "../index.ts";
import { firstWith, presence, releasesOf } from "./release.ts";
import type { ReleaseData } from "./release-data.ts";

const newest: ReleaseData = {
  version: "0.3.0",
  options: { switch: ["--b"], value: ["--a|-a", "--c"], boolean: ["--d"] },
  values: { "--a": ["x", "y"], "--c": ["z"] },
  variables: ["E_ONE", "E_TWO"],
};
const older: ReleaseData = {
  version: "0.2.0",
  options: { switch: ["--c"], value: ["--old"] },
  values: { "--a": ["x", "w"], "--c": [] },
  variables: ["E_OLD"],
  lacks: { options: ["--b", "--c"], variables: ["E_TWO"] },
};
const oldest: ReleaseData = {
  version: "0.1.0",
  options: {},
  values: {},
  lacks: { options: ["--a|-a"] },
};
const releases = releasesOf([newest, older, oldest]);

describe("releasesOf", () => {
  it("applies the differences of an older release to the next newer one", () => {
    const [first, second, third] = releases;
    expect([...first.options.keys()]).toEqual(["--b", "--d", "--no-d", "--a", "-a", "--c"]);
    expect([...(second?.options.keys() ?? [])]).toEqual([
      "--c",
      "--d",
      "--no-d",
      "--a",
      "-a",
      "--old",
    ]);
    expect(second?.options.get("--c")?.kind).toBe("switch");
    expect([...(third?.options.keys() ?? [])]).toEqual(["--c", "--d", "--no-d", "--old"]);
    expect([...(second?.values.get("--a") ?? [])]).toEqual(["x", "w"]);
    expect(second?.values.has("--c")).toBe(false);
    expect([...(second?.names.variables ?? [])]).toEqual(["E_ONE", "E_OLD"]);
  });

  it("finds the releases before and after one that lack a name", () => {
    const [first, second] = releases;
    expect(presence(releases, first, ({ options }) => options.has("--old"))).toBe("up to 0.2.0");
    expect(second && presence(releases, second, ({ options }) => options.has("--b"))).toBe(
      "since 0.3.0",
    );
    expect(presence(releases, first, ({ options }) => options.has("--never"))).toBeUndefined();
    expect(firstWith(releases, ({ options }) => options.has("--b"))).toEqual([0, 3, 0]);
    expect(firstWith(releases, ({ options }) => options.has("--old"))).toBeUndefined();
  });
});

describe.each(["vllm", "sglang"] as const)("the releases of %s", (name) => {
  const all = engines[name].releases?.all ?? [];

  it("every release has options, values and variables", () => {
    expect(all.length).toBeGreaterThan(5);
    for (const { options, values, names } of all) {
      expect(options.size).toBeGreaterThan(250);
      expect(values.size).toBeGreaterThan(30);
      expect(names.variables.size).toBeGreaterThan(250);
      expect([...values.keys()].filter((option) => !options.has(option))).toEqual([]);
    }
  });
});

describe("the release in an image", () => {
  it.each([
    ["vllm", "vllm/vllm-openai:v0.32.0", "0.32.0"],
    ["vllm", "vllm/vllm-openai:v0.32.1-x86_64", "0.32.0"],
    ["vllm", "vllm/vllm-openai:v0.27.0-cu130-ubuntu2404", "0.27.1"],
    ["vllm", "registry.example.com/mirror/vllm-openai:v0.30.0@sha256:ab", "0.30.0"],
    ["vllm", "vllm/vllm-openai-cpu:v0.32.0", "0.32.0"],
    ["vllm", "vllm/vllm-openai:v0.33.0rc1", undefined],
    ["vllm", "vllm/vllm-openai:v0.32.0-patched", undefined],
    ["vllm", "vllm/vllm-openai:v0.25.0", undefined],
    ["vllm", "vllm/vllm-openai:v0.99.0", undefined],
    ["vllm", "vllm/vllm-openai:nightly", undefined],
    ["vllm", "vllm/vllm-openai", undefined],
    ["vllm", "vllm/vllm-openai@sha256:ab", undefined],
    ["vllm", "quay.io/ascend/vllm-ascend:v0.26.0", undefined],
    ["vllm", "vllm/vllm-tpu:v0.30.0", undefined],
    ["vllm", undefined, undefined],
    ["sglang", "lmsysorg/sglang:v0.5.23-cu130", "0.5.23"],
    ["sglang", "lmsysorg/sglang:v0.5.20.post1", "0.5.20"],
    ["sglang", "lmsysorg/sglang:v0.5.20-rocm700-mi35x", "0.5.20"],
    ["sglang", "lmsysorg/sglang:dev", undefined],
    ["sglang", "lmsysorg/sglang:v0.5.17", undefined],
  ] as const)("%s %s is %s", (name, image, version) => {
    expect(engines[name].releases?.of(image)?.version).toBe(version);
  });
});
