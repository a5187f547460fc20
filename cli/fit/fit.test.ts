import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { acceleratorNames } from "../../sdk/engines/accelerators/index.ts";
import { knownModels } from "../../sdk/engines/models/model-facts.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { folderOf, run } from "../sample.fixture.ts";

const model = "Qwen/Qwen3-32B";
const on = (...accelerators: string[]) => accelerators.flatMap((name) => ["--accelerator", name]);

describe("fit MODEL", () => {
  it("prints the model and a row for each accelerator", async () => {
    const { code, out, err } = await run(["fit", model, "--accelerator", "l4,h100-sxm,tpu-v6e"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")).toEqual([
      `${model} on vLLM: 32.8 billion parameters, 61.0 GiB of weights, context 40960`,
      "",
      "ACCELERATOR  DEVICES  WEIGHTS  KV CACHE  CONTEXT  AT 8K  AT 32K  NOTE",
      expect.stringMatching(/^h100-sxm {5}1 {8}61\.0 {5}\d+\.\d +\d{5} {4}\d+ +\d+$/),
      expect.stringMatching(/^l4 {11}4 {8}15\.3 {5}/),
      expect.stringMatching(/^tpu-v6e {6}4 {8}15\.3 .* needs engine\.image$/),
      "",
    ]);
  });

  it("lists whole devices unless --all adds parts of GPUs and CPUs", async () => {
    const named = async (...args: string[]) => {
      const { out } = await run(["fit", "Qwen/Qwen3-0.6B", "--format", "json", ...args]);
      const { accelerators } = JSON.parse(out) as { accelerators: { accelerator: string }[] };
      return accelerators.map(({ accelerator }) => accelerator);
    };
    const whole = await named();
    const all = await named("--all");
    expect(all.toSorted()).toEqual(acceleratorNames.toSorted());
    expect(
      all.filter((name) => !whole.includes(name)).every((name) => /gb$|^cpu$/.test(name)),
    ).toBe(true);
    expect(whole).toContain("h100-sxm");
    expect(whole).not.toContain("h100-sxm-1g.10gb");
    expect(whole).not.toContain("cpu");
  });

  it("shows groups of devices, and marks a gated model", async () => {
    const { out } = await run([
      "fit",
      "meta-llama/Llama-3.1-405B-Instruct",
      ...on("a100-sxm-80gb"),
    ]);
    expect(out).toMatch(/gated, so that it needs a Hugging Face token\n/);
    expect(out).toMatch(/^a100-sxm-80gb {2}16 \(8x2\), 2 nodes {2}/m);
  });

  it.each([
    ["--kv-cache-dtype fp8", "concurrency8k"],
    ["--quantization fp8", "kvCacheGiB"],
  ])("%s raises %s", async (option, field) => {
    const fieldOf = async (...args: string[]) => {
      const { out } = await run(["fit", model, ...on("h100-sxm"), "--format", "json", ...args]);
      return JSON.parse(out).accelerators[0].replica[field] as number;
    };
    expect(await fieldOf(...option.split(" "))).toBeGreaterThan(1.5 * (await fieldOf()));
  });

  it("--max-model-len needs more devices than a shorter context", async () => {
    const devices = async (...args: string[]) => {
      const { out } = await run(["fit", model, ...on("h100-sxm"), "--format", "yaml", ...args]);
      return parse(out).accelerators[0].replica.devices as number;
    };
    expect([await devices(), await devices("--max-model-len", "40960")]).toEqual([1, 2]);
  });

  it("ends with 1 and the reason if the model fits nowhere", async () => {
    const { code, out } = await run(["fit", model, ...on("h100-sxm", "l4"), "--gpus", "3"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^h100-sxm .*does not fit .*do not divide evenly over 3 devices$/m);
    expect((await run(["fit", model, ...on("t4", "l4"), "--gpus", "4"])).code).toBe(0);
  });

  it("accepts a model's config.json, from a file or standard input", async () => {
    const config = {
      architectures: ["Qwen3ForCausalLM"],
      model_type: "qwen3",
      hidden_size: 1024,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      head_dim: 128,
      intermediate_size: 3072,
      vocab_size: 151_936,
      max_position_embeddings: 40_960,
      tie_word_embeddings: true,
      torch_dtype: "bfloat16",
    };
    using folder = folderOf({ "config.json": JSON.stringify(config) });
    const args = ["--format", "json", ...on("l4")];
    const own = await run(["fit", "my/model", "--config", `${folder.path}/config.json`, ...args]);
    const known = JSON.parse((await run(["fit", "Qwen/Qwen3-0.6B", ...args])).out);
    expect(JSON.parse(own.out)).toEqual({ ...known, model: { ...known.model, name: "my/model" } });
    const piped = await run(["fit", "--config", "-", ...args], JSON.stringify(config));
    expect(JSON.parse(piped.out).accelerators).toEqual(known.accelerators);
  });
});

it("the page on models contains the output of fit", async () => {
  const page = readFileSync(join(repositoryRoot, "docs/models-and-accelerators.md"), "utf8");
  const [, command = "", shown] =
    /^```console\n\$ npx pulumi-inference (fit .*)\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect((await run(command.split(" "))).out).toBe(shown);
});

it("fit without a model lists the known models", async () => {
  const { code, out } = await run(["fit", "--format", "json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual(knownModels());
  const table = (await run(["fit"])).out;
  expect(table).toMatch(/^MODEL +TASK +PARAMETERS +WEIGHTS +CONTEXT +ATTENTION$/m);
  expect(table).toMatch(
    /^deepseek-ai\/DeepSeek-R1 +generate +671\.0 billion +626\.9 GiB +163840 +MLA$/m,
  );
});

describe("fit refuses", () => {
  it.each<[string, string[], string]>([
    ["an unknown model", ["fit", "Qwen3-32B"], 'unknown model "Qwen3-32B". Did you mean Qwen/Q'],
    ["half an accelerator", ["fit", model, ...on("h100")], "Did you mean h100-sxm, h100-pcie"],
    ["a context of no tokens", ["fit", model, "--max-model-len", "0"], "not a whole number from 1"],
    ["a missing file", ["fit", "--config", "/nowhere/c.json"], "/nowhere/c.json: no such file"],
    ["a list", ["fit", "--config", "-"], "--config -: is not an object"],
  ])("%s", async (_what, args, message) => {
    const { code, out, err } = await run(args, "[]");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it.each([
    ["{", /--config -: /],
    ["{}", /--config -: config\.json: .*is missing/],
  ])("%j as config.json", async (text, message) => {
    const { code, err } = await run(["fit", "--config", "-"], text);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
