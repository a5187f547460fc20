import fc from "fast-check";
import { expect, it } from "vitest";
import { SpecError } from "../../errors.ts";
import { parseInferenceService } from "../../validate/inference-service.ts";

/** A service reports all of its problems together, each once. */

type Spec = Record<string, unknown> & {
  model: Record<string, unknown>;
  engine: Record<string, unknown>;
  roles: Array<Record<string, unknown>>;
};

const base = (): Spec => ({
  model: { name: "Qwen/Qwen3-32B" },
  accelerator: "h100-sxm",
  engine: { name: "vllm" },
  roles: [
    { name: "a", componentType: "worker" },
    { name: "b", componentType: "worker" },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "gateway" }] },
    },
  ],
});

/** Faults that do not depend on each other, with the beginning of the problem that each causes. */
const faults: ReadonlyArray<readonly [problem: string, edit: (spec: Spec) => void]> = [
  [
    'accelerator: is "nvidia-l40s"',
    (spec) => void Object.assign(spec, { accelerator: "nvidia-l40s" }),
  ],
  [
    "engine.maxModelLen: is 131072",
    ({ engine }) => void Object.assign(engine, { maxModelLen: 131_072 }),
  ],
  [
    "engine.tensorParallel: is 3",
    ({ engine }) => void Object.assign(engine, { tensorParallel: 3 }),
  ],
  [
    "model.source: ",
    ({ model }) => void Object.assign(model, { source: "ftp://example.com/model" }),
  ],
  [
    "engine.kvOffload.cpu: is missing",
    ({ engine }) => void Object.assign(engine, { kvOffload: {} }),
  ],
  [
    'roles[0].unknwon: unknown field "unknwon"',
    ({ roles }) => void Object.assign(roles[0] ?? {}, { unknwon: 1 }),
  ],
  ["roles[1].replicas: is -1", ({ roles }) => void Object.assign(roles[1] ?? {}, { replicas: -1 })],
  [
    "roles[2].httproute.parentRefs: is an empty list",
    ({ roles }) => void Object.assign(roles[2] ?? {}, { httproute: { parentRefs: [] } }),
  ],
];

function problemsOf(spec: unknown): string[] {
  try {
    parseInferenceService({ metadata: { name: "all" }, spec });
    return [];
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.message.split("\n").slice(1);
  }
}

it.each(faults)("one fault causes one problem: %s", (problem, edit) => {
  const spec = base();
  edit(spec);
  const found = problemsOf(spec);
  expect(found.map((line) => line.trim().startsWith(problem))).toEqual([true]);
});

it("several faults cause the problems of each, and no other", () => {
  expect(problemsOf(base())).toEqual([]);
  const alone = faults.map(([, edit]) => {
    const spec = base();
    edit(spec);
    return problemsOf(spec);
  });
  fc.assert(
    fc.property(fc.subarray([...faults.keys()], { minLength: 2 }), (picked) => {
      const spec = base();
      for (const at of picked) faults[at]?.[1](spec);
      const expected = new Set(picked.flatMap((at) => alone[at] ?? []));
      expect(problemsOf(spec).toSorted()).toEqual([...expected].toSorted());
    }),
    { numRuns: 200 },
  );
});

it("an unknown accelerator of several roles is reported once, with the accelerator that its name contains", () => {
  const spec = { ...base(), accelerator: "nvidia-l40s" };
  expect(problemsOf(spec)).toEqual([
    '  accelerator: is "nvidia-l40s"; allowed: one of 68 names, such as h100-sxm, h200-sxm, l40s. Did you mean l40s?',
  ]);
});

it("the larger accelerator has a direct link if tensor parallel needs one", () => {
  const spec = {
    model: { name: "deepseek-ai/DeepSeek-R1" },
    accelerator: "h100-sxm",
    engine: { name: "vllm", tensorParallel: 8, pipelineParallel: 1 },
    roles: [{ name: "worker", componentType: "worker", multinode: { nodeCount: 1 } }],
  };
  expect(problemsOf(spec)[0]).toMatch(/; or use accelerator h200-sxm\. *$/);
});
