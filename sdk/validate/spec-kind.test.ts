import { describe, expect, it } from "vitest";
import { formatPath, formatProblem } from "../errors.ts";
import type { Invariant } from "../invariant.ts";
import type { RawSpec } from "../rules/helpers/raw-spec.ts";
import { problemsIn } from "./problems-in.fixture.ts";
import { kinds, output, parseObject, refusedObjects, valid } from "./refused-objects.fixture.ts";

const problemsOf = (written: object) => problemsIn(() => parseObject(written));

describe("parseKind", () => {
  it.each(Object.entries(valid))("accepts a valid spec of %s", (kind, spec) => {
    expect(problemsOf({ [kind]: spec })).toEqual([]);
  });

  it.each(Object.values(refusedObjects).flat())(
    "refuses a spec with %s at %s",
    (_, path, written) => {
      expect(problemsOf(written).map((problem) => formatPath(problem.path))).toContain(path);
    },
  );

  it("fills in the defaults", () => {
    expect(parseObject({ LLMServerPool: valid.LLMServerPool })).toEqual({
      metadata: { name: "obj", namespace: "default", labels: {}, annotations: {} },
      spec: {
        modelServerSelector: { app: "llama" },
        targetPorts: [8000],
        endpointPicker: {},
        networkPolicy: { enabled: true },
        failureMode: "FailClose",
        allowUnregisteredModels: false,
        allowedNamespaces: [],
      },
    });
  });

  it("keeps Outputs in fields that allow them", () => {
    const name = output();
    expect(
      parseObject({ LLMService: { models: [{ name: "m" }], poolRef: [{ name, namespace: "x" }] } })
        .spec,
    ).toEqual({
      models: [{ name: "m" }],
      poolRef: [{ kind: "LLMServerPool", name, namespace: "x" }],
    });
    const [later, other] = [output(), output()];
    expect(
      problemsOf({
        LLMService: { models: [{ name: "m" }], poolRef: [{ name: later }, { name: other }] },
      }),
    ).toEqual([]);
  });

  it("reports all problems together as text", () => {
    const written = {
      LLMService: {
        models: [
          { name: "m", targetModels: [{ name: "a" }, { name: "b", weight: 2 }] },
          { name: "m" },
        ],
        poolRef: [{ kind: "Service", name: "p" }],
        fairness: 1,
      },
    };
    expect(problemsOf(written).map(formatProblem)).toEqual([
      'fairness: unknown field "fairness"; allowed: share, models, poolRef. Remove fairness.',
      "models[0].targetModels[0].weight: is missing, but other targets of the list have a weight; allowed: a weight for all targets or for none. Set this weight, or remove the weights of the other targets.",
      'models[1].name: is "m", which is also the name of models[0]; allowed: a unique model name. Merge the two entries: one model can have several targetModels.',
      'poolRef[0].kind: is "Service"; allowed: LLMServerPool, InferencePool. Set kind to one of these.',
    ]);
  });
});

describe("rules", () => {
  const rules = Object.values(kinds).flatMap((kind) => kind.rules as Invariant<RawSpec>[]);
  it.each([...new Set(rules)].map((rule) => [rule.id, rule] as const))(
    "one of the refused specs breaks %s",
    (_, rule) => {
      const broken = Object.values(refusedObjects)
        .flat()
        .some(([, , written]) =>
          Object.entries(written).some(
            ([kind, spec]) =>
              kind in kinds &&
              (kinds[kind as keyof typeof kinds].rules as Invariant<RawSpec>[]).includes(rule) &&
              [
                ...rule.check({
                  metadata: { name: "Obj", ...(written as { metadata?: object }).metadata },
                  spec: spec as never,
                }),
              ].length > 0,
          ),
        );
      expect(broken).toBe(true);
    },
  );
});
