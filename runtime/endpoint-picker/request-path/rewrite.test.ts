import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pool, rewriteObject } from "../datastore/objects.fixture.ts";
import { rewriteTable } from "../datastore/rewrite-table.ts";
import type { Payload } from "../payload/payload.ts";
import { RequestError } from "../request-error.ts";
import { draw, rewrite } from "./rewrite.ts";

const payload = (model: string | undefined, modelSpans: Payload["modelSpans"] = []): Payload => ({
  parser: "openai-parser",
  body: Buffer.alloc(0),
  model,
  modelSpans,
  streaming: false,
  prompts: [],
  cacheSalt: "",
});

const table = rewriteTable(pool(), [
  rewriteObject("r", [
    { models: ["m"], targets: [{ model: "t", weight: 1 }] },
    { models: ["empty"], targets: [] },
  ]),
]);
const generic = rewriteTable(pool(), [
  rewriteObject("g", [{ models: undefined, targets: [{ model: "any", weight: undefined }] }]),
]);
const trust = { trustModelNameHeader: true };
const distrust = { trustModelNameHeader: false };
const target = "x-llm-d-model-name-rewrite";

describe("the target model", () => {
  it.each([
    ["a rule's target", "m", {}, table, distrust, "t"],
    ["the model itself", "other", {}, table, distrust, "other"],
    ["the model itself where its rule has no targets", "empty", {}, table, distrust, "empty"],
    ["the header's where no rule is for it", "other", { [target]: "h" }, table, distrust, "h"],
    ["a rule's before the header's", "m", { [target]: "h" }, table, distrust, "t"],
    ["the generic rule's for a body without model", undefined, {}, generic, distrust, "any"],
    [
      "a rule's, whatever a client's X-Gateway-Model-Name says",
      "m",
      { "x-gateway-model-name": "m" },
      table,
      distrust,
      "t",
    ],
    ["as a trusted router left it", "m", { "x-gateway-model-name": "m" }, table, trust, "m"],
    [
      "a rule's where the trusted header names another model",
      "m",
      { "x-gateway-model-name": "x" },
      table,
      trust,
      "t",
    ],
  ])("is %s", (_, model, headers, rules, options, expected) => {
    const choice = rewrite(
      payload(model),
      new Map(Object.entries(headers)),
      rules,
      () => 0,
      options,
    );
    expect(choice.targetModel).toBe(expected);
    expect(choice.model).toBe(model ?? "");
  });

  it("is refused where there is none", () => {
    expect(() => rewrite(payload(undefined), new Map(), table, () => 0, distrust)).toThrow(
      new RequestError("BadRequest", "model not found in request body"),
    );
  });

  it("is nothing for a body that is not read", () => {
    const { targetModel } = rewrite(
      { ...payload(undefined), modelSpans: undefined },
      new Map(),
      generic,
      () => 0,
      distrust,
    );
    expect(targetModel).toBe("");
  });
});

describe("drawing by weight", () => {
  const rule = (...weights: Array<number | undefined>) => ({
    rewrite: "ns/r",
    index: 0,
    targets: weights.map((weight, at) => ({ model: `t${at}`, weight })),
  });

  it.each([
    [rule(10, 90), 0, "t0"],
    [rule(10, 90), 0.0999, "t0"],
    [rule(10, 90), 0.1, "t1"],
    [rule(10, 90), 0.9999999, "t1"],
    [rule(undefined, undefined, undefined, undefined), 0.5, "t2"],
    [rule(1_000_000, 1_000_000), 0.5, "t1"],
  ])("%j at %f is %s", (given, chance, expected) => {
    expect(draw(given, chance)).toBe(expected);
  });

  it("gives each target its share of the line from 0 to 1", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
      minLength: 1,
      maxLength: 3_000,
    });
    fc.assert(
      fc.property(
        weights,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (list, chance) => {
          const at = Number(draw(rule(...list), chance).slice(1));
          const total = list.reduce((sum, weight) => sum + weight, 0);
          const before = list.slice(0, at).reduce((sum, weight) => sum + weight, 0);
          expect(chance * total).toBeGreaterThanOrEqual(before - 1e-6);
          expect(chance * total).toBeLessThanOrEqual(before + (list[at] as number) + 1e-6);
        },
      ),
    );
  });
});
