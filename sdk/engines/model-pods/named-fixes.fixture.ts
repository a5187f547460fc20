import type { Problem } from "../../errors.ts";
import type { InferenceServiceInput } from "../../index.ts";

/** Fixes in the texts of errors, as changes of a service with a typed model. */

interface Spec {
  readonly [field: string]: unknown;
  readonly engine: Readonly<Record<string, unknown>> & { readonly args?: readonly string[] };
  readonly model: object;
  readonly roles: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

export interface NamedFix {
  readonly text: string;
  /** The service with the fix; undefined for a fix outside the service, such as another checkpoint. */
  readonly fixed: InferenceServiceInput | undefined;
}

const newest = { vllm: "0.33.0", sglang: "0.5.23", "tensorrt-llm": "1.2.0" } as const;

type Apply = (spec: Spec, ...parts: string[]) => Spec | undefined;

const engine = (spec: Spec, fields: object): Spec => ({
  ...spec,
  engine: { ...spec.engine, ...fields },
});
const without = <T extends object>(object: T, ...names: string[]): T =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;
const withoutSizes = (spec: Spec, names: readonly string[]): Spec => ({
  ...spec,
  engine: without(spec.engine, ...names),
  roles: names.includes("nodeCount")
    ? spec.roles.map((role) => without(role, "multinode"))
    : spec.roles,
});
const withNodes = (spec: Spec, nodeCount: number): Spec => ({
  ...spec,
  roles: spec.roles.map((role) =>
    role.multinode === undefined ? role : { ...role, multinode: { nodeCount } },
  ),
});
const withArguments = (spec: Spec, ...words: string[]): Spec =>
  engine(spec, { args: [...(spec.engine.args ?? []), ...words] });
/** Writes an option that the arguments contain with the separators of its name. */
const withSeparators: Apply = (spec, option = "") => {
  const bare = (word: string) => word.replaceAll("_", "-");
  const args = (spec.engine.args ?? []).map((word) =>
    bare(word) === bare(option) ? option : word,
  );
  return engine(spec, { args });
};
const outside: Apply = () => undefined;

const fixes: ReadonlyArray<readonly [RegExp, Apply]> = [
  [/or offload less/, (spec) => ({ ...spec, engine: without(spec.engine, "kvOffload") })],
  [/remove the speculation/, (spec) => ({ ...spec, engine: without(spec.engine, "speculative") })],
  [/Lower --max-loras|Raise failureThreshold|Add a startupProbe|[Dd]ivide the model over/, outside],
  [
    /set lora\.maxLoaded to (\d+)/i,
    (spec, loaded) =>
      engine(spec, { lora: { ...(spec.engine.lora as object), maxLoaded: Number(loaded) } }),
  ],
  [/Set memoryFraction/, (spec) => engine(spec, { memoryFraction: 0.45 })],
  [
    /set maxModelLen to at most (\d+)/i,
    (spec, tokens) => engine(spec, { maxModelLen: Number(tokens) }),
  ],
  [
    /set tensorParallel to (\d+)(?:, pipelineParallel to (\d+))?(?:, nodeCount to (\d+))?/i,
    (spec, tensor, pipeline, nodes) => {
      const sized = engine(spec, {
        tensorParallel: Number(tensor),
        ...(pipeline !== undefined && { pipelineParallel: Number(pipeline) }),
      });
      return nodes === undefined ? sized : withNodes(sized, Number(nodes));
    },
  ],
  [
    /or remove the sizes( and nodeCount)?/,
    (spec) => withoutSizes(spec, ["tensorParallel", "pipelineParallel", "nodeCount"]),
  ],
  [/use accelerator ([\w.-]+\w)/i, (spec, accelerator) => ({ ...spec, accelerator })],
  [
    /Remove ((?:(?:tensor|pipeline|data|expert)Parallel|nodeCount|, | and )+)[.,]/,
    (spec, names = "") => withoutSizes(spec, names.split(/, | and /)),
  ],
  [/set dataParallel to 1/, (spec) => engine(spec, { dataParallel: 1 })],
  [/Set engine\.image/, (spec) => engine(spec, { image: "registry.example.com/engine:1" })],
  [
    /Remove --[\w-]+ from args|Remove it, or set model\.name|Remove it: it is an option of/,
    (spec) => engine(spec, { args: [] }),
  ],
  [/Use one of these, or remove model/, (spec) => ({ ...spec, engine: { name: "vllm" } })],
  [/Lower maxModelLen/, (spec) => engine(spec, { maxModelLen: 512 })],
  [
    /[Rr]emove (kvOffload|lora|speculative)/,
    (spec, name = "") => ({ ...spec, engine: without(spec.engine, name) }),
  ],
  [
    /Raise engine\.version|[Uu]se (?:a later|an) image/,
    (spec) => engine(spec, { version: newest[spec.engine.name as "vllm"] }),
  ],
  [
    /set model\.token to the Secret/,
    (spec) => ({ ...spec, model: { ...spec.model, token: { secret: "hf" } } }),
  ],
  [
    /Add a role with componentType router/,
    (spec) => ({ ...spec, roles: [...spec.roles, { name: "router", componentType: "router" }] }),
  ],
  [
    /set --lora-target-modules in engine\.args/,
    (spec) => withArguments(spec, "--lora-target-modules", "all"),
  ],
  [
    /[Ss]et (lora\.maxRank|dtype|maxModelLen|maxNumSeqs|pipelineParallel) to (\w+)/,
    (spec, field = "", text = "") => {
      const value = /^\d+$/.test(text) ? Number(text) : text;
      return engine(
        spec,
        field === "lora.maxRank"
          ? { lora: { ...(spec.engine.lora as object), maxRank: value } }
          : { [field]: value },
      );
    },
  ],
  [/[Rr]emove quantization/, (spec) => engine(spec, { quantization: "auto" })],
  [
    /[Ss]et (--[\w-]+) (?!in\b)(\w[\w.]*\w|\d)/,
    (spec, flag = "", value = "") => withArguments(spec, flag, value),
  ],
  [/[Ss]et (--\w+)\.$/, withSeparators],
  [
    /[Rr]emove (kvCacheDtype)/,
    (spec) => ({ ...spec, engine: without(spec.engine, "kvCacheDtype") }),
  ],
  [/[Uu]se (?:a newer GPU|another one)|or a GPU/, outside],
  [/Use a (?:checkpoint|smaller model)|Use adapters of/, outside],
  [
    /Add an adapter/,
    (spec) =>
      engine(spec, {
        lora: { ...(spec.engine.lora as object), adapters: [{ name: "a", source: "org/a" }] },
      }),
  ],
  [/No (?:parallel size|division)/, outside],
];

/** Returns the fixes that a problem names. */
export const fixesIn = ({ fix }: Problem, { metadata, spec }: InferenceServiceInput): NamedFix[] =>
  fixes.flatMap(([pattern, apply]) => {
    const found = pattern.exec(fix);
    if (found === null) return [];
    const changed = apply(spec as unknown as Spec, ...found.slice(1));
    return [{ text: found[0], fixed: changed && ({ metadata, spec: changed } as never) }];
  });
