import fc from "fast-check";
import { expect, it } from "vitest";
import { impactOf } from "./impact.ts";
import { PreviewError, readPreview } from "./preview.ts";

const set = (role: string, image: string) => ({
  type: "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
  inputs: {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: {
      name: `svc-${role}`,
      namespace: "ns",
      labels: { "fusioninfer.io/service": "svc", "fusioninfer.io/role-name": role },
    },
    spec: {
      replicas: 2,
      leaderWorkerTemplate: {
        size: 1,
        workerTemplate: { spec: { containers: [{ name: "vllm", image }] } },
      },
    },
  },
});

const step = (role: string, op: string, replaceReasons: readonly string[] = []) => ({
  op,
  urn: `urn:pulumi:s::p::kubernetes:LeaderWorkerSet::svc-${role}`,
  ...{ oldState: set(role, "a"), newState: set(role, "b"), replaceReasons },
});

/** The new image of two replicas with 8 GPUs each. */
const gpuStep = () => {
  const of = (image: string) => {
    const { type, inputs } = structuredClone(set("decode", image));
    const [engine] = inputs.spec.leaderWorkerTemplate.workerTemplate.spec.containers;
    Object.assign(engine as object, {
      env: [{ name: "A", value: "1" }],
      resources: { limits: { "nvidia.com/gpu": "8" } },
    });
    return { type, inputs };
  };
  return { ...step("decode", "update"), oldState: of("a"), newState: of("b") };
};

const impact = (steps: readonly object[]) => impactOf(readPreview(JSON.stringify({ steps })));

it("the impact does not depend on the order in which the preview lists objects", () => {
  const steps = [step("prefill", "update"), step("decode", "update")];
  expect(impact(steps)).toEqual(impact(steps.toReversed()));
  expect(impact(steps).services[0]?.roles.map(({ role }) => role)).toEqual(["decode", "prefill"]);
});

it("the impact does not depend on the order in which the preview lists replaced fields", () => {
  const reasons = ["spec.selector", "metadata.name"];
  const of = (fields: readonly string[]) => impact([step("decode", "replace", fields)]);
  expect(of(reasons)).toEqual(of(reasons.toReversed()));
});

it.each([
  ["null", "null", "the document"],
  ["a step that is null", '{"steps":[null]}', "steps[0]"],
  ["steps that are a string", '{"steps":"x"}', "steps"],
  ["a step without a URN", '{"steps":[{"op":"update"}]}', "steps[0].urn"],
  [
    "reasons that are a number",
    '{"steps":[{"op":"same","urn":"","replaceReasons":1}]}',
    "steps[0]",
  ],
])("refuses %s", (_, text, path) => {
  expect(() => readPreview(text)).toThrow(PreviewError);
  expect(() => readPreview(text)).toThrow(path);
});

it("a preview with any value at any path gives an impact or one error", () => {
  const values = fc.oneof(
    ...[null, true, 0, -1, 1e21, "", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"].map(fc.constant),
    fc.constantFrom<unknown>([], {}, [null], { spec: null }, { containers: [null] }),
  );
  fc.assert(
    fc.property(fc.nat({ max: 60 }), values, (at, value) => {
      const steps = [step("decode", "update"), step("prefill", "replace", ["spec.selector"])];
      const paths = [...pathsOf({ steps })];
      const text = JSON.stringify(withValue({ steps }, paths[at % paths.length] ?? [], value));
      try {
        impactOf(readPreview(text));
      } catch (error) {
        if (!(error instanceof PreviewError)) throw error;
      }
    }),
  );
});

it.each([
  ["a secret", "[secret]", ["oldState", "newState"]],
  ["a value that only the update knows", "04da6b54-80e4-46f7-96ec-b56ff0331ba9", ["newState"]],
])("%s changes no count, or the workload is not counted", (_, hidden, states) => {
  const shown = gpuStep();
  const expected = impact([shown]);
  expect(expected.restartedGpus).toBe(16);
  for (const path of pathsOf(shown.oldState.inputs.spec)) {
    const changed = states.reduce<unknown>(
      (rest, state) => withValue(rest, [state, "inputs", "spec", ...path], hidden),
      shown,
    );
    const { hidden: uncounted, ...counted } = impact([changed as object]);
    if (uncounted.length === 0)
      expect({ ...counted, hidden: [] }, path.join(".")).toEqual(expected);
  }
});

type Steps = ReadonlyArray<string | number>;

function* pathsOf(value: unknown, path: Steps = []): Iterable<Steps> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value))
    yield* pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]);
}

function withValue(target: unknown, [key, ...rest]: Steps, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = structuredClone(target) as Record<string | number, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}
