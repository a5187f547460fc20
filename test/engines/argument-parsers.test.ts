import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { recipes } from "../../examples/recipes/recipes.ts";
import { startedBy } from "../../sdk/engines/command-line/started-programs.ts";
import { textOf } from "../../sdk/engines/command-line/words.ts";
import type { ExecutorName } from "../../sdk/engines/groups/index.ts";
import { engines } from "../../sdk/engines/index.ts";
import { optionKinds } from "../../sdk/engines/options/option-names.ts";
import type { Release } from "../../sdk/engines/options/release.ts";
import { sglangReleases } from "../../sdk/engines/sglang/releases/index.ts";
import { vllmReleases } from "../../sdk/engines/vllm/releases/index.ts";
import type { Manifest } from "../../sdk/index.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import type { Container } from "../../sdk/schemas/pod-template.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { engineOfPods } from "../../sdk/stack/workloads.ts";
import { examplePrograms, planExample } from "../../testing/programs/example-programs.ts";
import {
  decoder,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { findSglang } from "./install-sglang.ts";
import { findVllm } from "./install-vllm.ts";

/** Every planned command line against the argument parsers of the engines, and our tables of options with theirs. */

type Parsed = "vllm" | "sglang";
const installed = {
  vllm: vllmReleases.find(({ version }) => version === "0.32.0"),
  sglang: sglangReleases[0],
};

/** Returns the options of a kind, each with its aliases. */
function namesOf(release: Release | undefined, kind: string): string[] {
  const aliases = new Map<string, string[]>();
  for (const [alias, option] of release?.options ?? [])
    if (option.kind === kind && option.isNegative !== true)
      aliases.set(option.name, [...(aliases.get(option.name) ?? []), alias]);
  return [...aliases.values()].map((names) => names.join("|")).sort();
}

let paths: string;
beforeAll(async () => {
  paths = [await findSglang(), await findVllm()].join(":");
}, 1_800_000);

function python(script: string, engine: Parsed, input = ""): unknown {
  const output = execFileSync("python3", [join(import.meta.dirname, script), engine], {
    env: { ...process.env, PYTHONPATH: paths, VLLM_LOGGING_LEVEL: "ERROR" },
    input,
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: 1e8,
  });
  return JSON.parse(String(output).trim().split("\n").at(-1) ?? "");
}

it.each(["vllm", "sglang"] as const)(
  "the table of options of %s equals the options of its parser",
  (name) => {
    const own = python("list-options.py", name) as Record<string, string[]>;
    for (const kind of optionKinds)
      expect(namesOf(installed[name], kind), kind).toEqual(own[kind] ?? []);
  },
);

const current = { image: "vllm/vllm-openai:v0.32.0" };
const sglang = {
  image: "lmsysorg/sglang:v0.5.23",
  command: ["python3", "-m", "sglang.launch_server"],
  args: ["--model-path", "m", "--host", "0.0.0.0"],
};
const plain = (fields: object) => ({ template: vllmTemplate(8, { ...fields }), drainSeconds: 600 });
const group = (executor: ExecutorName) => ({ multinode: { nodeCount: 2, executor } });
const connector = (name: string) => ({
  args: ["--model", "m", "--kv-transfer-config", `{"kv_connector":"${name}","kv_role":"kv_both"}`],
});

/** Every executor and connector, single pods and both sides of a pair. */
const services = [
  service([worker(plain(current)), router({ kvEvents: true })]),
  service([worker({ ...plain(current), ...group("mp") })]),
  service([
    worker({
      ...plain({ ...current, args: ["--model", "m", "--data-parallel-size", "2"] }),
      ...group("mp"),
    }),
  ]),
  service([worker({ ...plain({ image: "vllm:v0.32.0" }), ...group("ray") })]),
  service([worker({ ...plain(sglang), ...group("sglang") })]),
  service([prefiller(plain(current)), decoder(plain(current)), router()]),
  service([prefiller(plain(sglang)), decoder(plain(sglang)), router()]),
  ...["NixlConnector", "MooncakeConnector", "OffloadingConnector", "ExampleConnector"].map((name) =>
    service([
      prefiller(plain({ ...current, ...connector(name) })),
      decoder(plain({ ...current, ...connector(name) })),
      router(),
    ]),
  ),
];

/** Every setting of a typed engine that becomes a flag. */
const settings = {
  maxModelLen: 8_192,
  maxNumSeqs: 64,
  memoryFraction: 0.85,
  tensorParallel: 2,
  dataParallel: 2,
  dtype: "bfloat16",
  kvCacheDtype: "fp8",
  lora: { adapters: [{ name: "sql", source: "team/sql" }], maxRank: 32, dynamic: true },
  kvOffload: { cpu: "100Gi" },
};
const typed = (engine: object, fields: object = {}) =>
  service([{ name: "w", componentType: "worker" } as never], {
    model: { name: "Qwen/Qwen3-32B", revision: "main" },
    accelerator: "h100-sxm",
    engine: { ...settings, ...engine },
    ...fields,
  });
const bucket = { name: "Qwen/Qwen3-32B", source: "s3", location: "s3://models/qwen" };
const typedServices = ["vllm", "sglang"].flatMap((name) => [
  typed({ name }),
  typed({ name, quantization: "fp8", speculative: { method: "ngram", tokens: 4 } }),
  typed({ name, speculative: { method: "eagle3", tokens: 3, model: "team/draft" } }),
  typed({ name, kvOffload: { cpu: "100Gi", disk: { claim: "kv" } } }),
  typed({ name }, { model: bucket }),
  service([{ name: "w", componentType: "worker" } as never], {
    model: { name: "deepseek-ai/DeepSeek-R1" },
    accelerator: "h200-sxm",
    engine: { name, expertParallel: true, speculative: { method: "mtp", tokens: 1 } },
  }),
]);

/** The arguments of the servers that objects start, with a value for each variable of the controller. */
function commandLines(objects: readonly Manifest[], name: Parsed): string[][] {
  return readStack(objects)
    .workloads.flatMap(({ pods }) => pods)
    .flatMap((pods) => {
      const container = engineOfPods(pods)?.container as Container | undefined;
      return container === undefined ? [] : serverLines(container, name);
    });
}

function serverLines(container: Container, name: Parsed): string[][] {
  const { programs, isByImage } = startedBy(container);
  const words = isByImage
    ? engines[name].image.test(String(container.image))
      ? [programs[0]?.args ?? []]
      : []
    : programs.flatMap((program) => {
        const args = engines[name].serverArguments(program);
        return args === undefined ? [] : [args];
      });
  return words.map((line) =>
    line.map((word) => textOf(word) ?? word.text.replaceAll(/\$\(\w+\)/g, "1")),
  );
}

describe.each(["vllm", "sglang"] as const)("the argument parser of %s", (name) => {
  it("takes every planned command line", () => {
    const lines = [...services, ...typedServices].flatMap((each) =>
      commandLines(planInferenceService(each), name),
    );
    expect(lines.length).toBeGreaterThan(3);
    const refused = python("parse-arguments.py", name, JSON.stringify(lines)) as string[];
    expect(
      refused.map((text, at) => (text === "" ? "" : `${lines[at]?.join(" ")}: ${text}`)),
    ).toEqual(lines.map(() => ""));
  });

  it("takes every command line of the examples and the recipes", async () => {
    const lines: string[][] = [];
    for (const folder of examplePrograms)
      lines.push(...commandLines((await planExample(folder)).objects, name));
    for (const spec of Object.values(recipes))
      lines.push(
        ...commandLines(planInferenceService({ metadata: { name: "r" }, spec } as never), name),
      );
    expect(lines.length).toBeGreaterThan(0);
    const refused = python("parse-arguments.py", name, JSON.stringify(lines)) as string[];
    expect(
      refused.map((text, at) => (text === "" ? "" : `${lines[at]?.join(" ")}: ${text}`)),
    ).toEqual(lines.map(() => ""));
  });

  it("refuses an option that it does not have", () => {
    const [text] = python(
      "parse-arguments.py",
      name,
      JSON.stringify([["--no-such-option"]]),
    ) as string[];
    expect(text).toMatch(/unrecognized arguments|the following arguments are required/);
  });
});
