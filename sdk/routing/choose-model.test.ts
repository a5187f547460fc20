import { describe, expect, it } from "vitest";
import { seeded } from "../../testing/samples/seeded.ts";
import { chooseModel, firstTokenWithin } from "./choose-model.ts";
import { modelRouting } from "./model-routing.ts";
import { model, rewrite, routedPool, rule, service, targets } from "./objects.fixture.ts";
import type { RegisteredModel } from "./registrations.ts";

const bots = service("bots", [
  model("plain"),
  model("split", { targets: targets(["v1", 20], ["v2", 80]) }),
  model("fast", { critical: true, objectiveSeconds: 0.05 }),
  model("reserved", { targets: targets(["soon", 0]) }),
  model("rewritten", { targets: targets(["never"]) }),
]);
const rewrites = [
  rewrite("r", [rule(["rewritten", "unregistered"], ["split"]), rule(["reserved"], ["stand-in"])]),
];
const everyModel = [rewrite("g", [rule(undefined, ["base"])])];

const open = modelRouting(routedPool(), [bots], rewrites);
const closed = modelRouting(routedPool({ registrationRequired: true }), [bots], rewrites);
const generic = modelRouting(routedPool({ registrationRequired: true }), [bots], everyModel);
const bare = modelRouting(routedPool(), [], rewrites);
const unwritten = modelRouting(routedPool(), [bots], []);
const required = modelRouting(routedPool({ registrationRequired: true }), [], []);

function chosen(name: string, routing: typeof open, chance = 0, drawn?: string) {
  const { outcome, registration, rule, target, critical, priority } = chooseModel(
    name,
    routing,
    chance,
    drawn,
  );
  return {
    outcome,
    service: registration?.service,
    rule: rule?.rewrite,
    target,
    critical,
    priority,
  };
}

const served = {
  outcome: "served",
  service: undefined,
  rule: undefined,
  critical: false,
  priority: -1,
};
const byBots = { ...served, service: "default/bots" };

describe("a registered model", () => {
  it.each([
    ["is its own target", "plain", 0, closed, { ...byBots, target: "plain" }],
    ["is split by weight", "split", 0.19, closed, { ...byBots, target: "v1" }],
    ["is split by weight", "split", 0.2, closed, { ...byBots, target: "v2" }],
    [
      "is critical if it has an objective",
      "fast",
      0,
      closed,
      { ...byBots, target: "fast", critical: true, priority: 0 },
    ],
    [
      "follows a rewrite instead of its own targets, and the target is not looked up again",
      "rewritten",
      0.99,
      closed,
      { ...byBots, target: "split", rule: "default/r" },
    ],
    [
      "follows a generic rewrite instead of its own targets",
      "split",
      0.99,
      generic,
      { ...byBots, target: "base", rule: "default/g" },
    ],
    [
      "is refused if it is only reserved",
      "reserved",
      0,
      unwritten,
      { ...byBots, outcome: "reserved", target: "reserved" },
    ],
    [
      "is rewritten if it is only reserved and has a rewrite",
      "reserved",
      0,
      closed,
      { ...byBots, target: "stand-in", rule: "default/r" },
    ],
  ])("%s (%s at %f)", (_, name, chance, routing, expected) => {
    expect(chosen(name, routing, chance)).toEqual(expected);
  });
});

describe("an unregistered model", () => {
  it.each([
    [
      "is refused if registration is required, even if a rewrite matches it",
      "unregistered",
      closed,
      { outcome: "unregistered", target: "unregistered", rule: "default/r" },
    ],
    [
      "is refused if registration is required and the pool has no registrations",
      "any",
      required,
      { outcome: "unregistered", target: "any" },
    ],
    [
      "is served at the requested priority if registration is optional, even if other models are registered (B5)",
      "any",
      open,
      { target: "any" },
    ],
    [
      "is rewritten if registration is optional",
      "unregistered",
      open,
      { target: "split", rule: "default/r" },
    ],
    [
      "has the requested priority on a pool without registrations",
      "any",
      bare,
      { target: "any", priority: undefined },
    ],
  ])("%s", (_, name, routing, expected) => {
    expect(chosen(name, routing)).toEqual({ ...served, priority: undefined, ...expected });
  });
});

describe("a target that a model router has drawn", () => {
  it.each([
    ["is not drawn again", "split", "v1", closed, { ...byBots, target: "v1" }],
    [
      "is not drawn again from a rewrite",
      "rewritten",
      "split",
      closed,
      { ...byBots, target: "split", rule: "default/r" },
    ],
    [
      "is ignored if the model does not have it",
      "split",
      "plain",
      closed,
      { ...byBots, target: "v2" },
    ],
    [
      "is ignored if the model has no targets",
      "plain",
      "v1",
      closed,
      { ...byBots, target: "plain" },
    ],
    [
      "does not replace a missing registration",
      "unregistered",
      "split",
      closed,
      {
        ...served,
        outcome: "unregistered",
        target: "unregistered",
        rule: "default/r",
        priority: undefined,
      },
    ],
  ])("%s", (_, name, drawn, routing, expected) => {
    expect(chosen(name, routing, 0.99, drawn)).toEqual(expected);
  });
});

it("targets contains the targets that the draw was made from", () => {
  expect(chooseModel("split", closed, 0).targets).toEqual(targets(["v1", 20], ["v2", 80]));
  expect(chooseModel("rewritten", closed, 0).targets).toEqual(targets(["split"]));
  expect(chooseModel("other", closed, 0).targets).toEqual([]);
  expect(chooseModel("other", open, 0).targets).toEqual([]);
});

it("10,000 requests are split by weight within 4 sigma", () => {
  const weights: Array<[string, number]> = [
    ["a", 1],
    ["b", 9],
    ["c", 90],
    ["d", 400],
    ["e", 500],
  ];
  const routing = modelRouting(
    routedPool({ registrationRequired: true }),
    [service("s", [model("m", { targets: targets(...weights) })])],
    [],
  );
  const draws = 10_000;
  const counts = new Map<string, number>();
  const random = seeded(7);
  for (let n = 0; n < draws; n += 1) {
    const { target } = chooseModel("m", routing, random());
    counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  for (const [target, weight] of weights) {
    const share = weight / 1_000;
    const sigma = Math.sqrt(draws * share * (1 - share));
    const off = Math.abs((counts.get(target) ?? 0) - draws * share);
    expect(off, target).toBeLessThan(4 * sigma);
  }
});

it("each of 10,000 models gets the target of its own rule or service", () => {
  const many = Array.from({ length: 10_000 }, (_, n) => n);
  const routing = modelRouting(
    routedPool({ registrationRequired: true }),
    many.map((n) => service(`s${n}`, [model(`m${n}`, { targets: targets([`t${n}`]) })])),
    many
      .filter((n) => n % 2 === 1)
      .map((n) => rewrite(`r${n}`, [rule([`m${n}`], [`rewritten-${n}`])])),
  );
  for (const n of many)
    expect(chooseModel(`m${n}`, routing, 0).target).toBe(n % 2 === 1 ? `rewritten-${n}` : `t${n}`);
});

describe("firstTokenWithin", () => {
  const within = (change: Partial<RegisteredModel>) =>
    firstTokenWithin({ service: "default/s", share: 1, model: model("m", change), targets: [] });

  it.each([
    ["the objective for the first token", { firstTokenSeconds: 0.5, objectiveSeconds: 0.05 }, 500],
    [
      "the time of a short response, for an objective per token only",
      { objectiveSeconds: 0.05 },
      5_000,
    ],
    ["undefined for an objective without values", { critical: true }, undefined],
  ])("is %s", (_, change, expected) => {
    expect(within(change)).toBe(expected);
  });

  it("is undefined for an unregistered model", () => {
    expect(firstTokenWithin(undefined)).toBeUndefined();
  });
});
