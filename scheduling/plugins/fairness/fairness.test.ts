import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../../testing/samples/seeded.ts";
import {
  controllerOf,
  dispatchedNames,
  type Named,
  named,
  room,
} from "../../flow-control/controllers.fixture.ts";
import type { FlowController } from "../../flow-control/flow-controller.ts";

const withPolicy = (type: string, parameters: object = {}, more = "") =>
  controllerOf(`
plugins: [{type: ${type}, parameters: ${JSON.stringify(parameters)}}]
flowControl:
  defaultPriorityBand: {fairnessPolicyRef: ${type}}
${more}`);

/** Queues one request per letter: the letter is the flow, and the name is the letter and a count. */
function arrive(controller: FlowController<Named>, flows: string, promptTokens = 10, now = 0) {
  const counts = new Map<string, number>();
  for (const flow of flows) {
    const count = (counts.get(flow) ?? 0) + 1;
    counts.set(flow, count);
    controller.arrive(named(`${flow}${count}`, { flow, promptTokens }), now);
  }
}

const flowsOf = (names: readonly string[]) => names.map((name) => name[0]).join("");

describe("round-robin-fairness-policy", () => {
  const controller = () => withPolicy("round-robin-fairness-policy");

  it("gives each flow a turn by name, whatever the order of arrival", () => {
    const found = controller();
    arrive(found, "ccccabb");
    expect(flowsOf(dispatchedNames(found))).toBe("abcbccc");
  });

  it("continues after the flow of the last turn, even if new flows arrive", () => {
    const found = controller();
    arrive(found, "aaccc");
    expect(flowsOf(dispatchedNames(found, { slots: 1 }))).toBe("a");
    arrive(found, "b");
    expect(flowsOf(dispatchedNames(found, { slots: 3 }))).toBe("bca");
  });

  it("starts with the first name again when no request is queued", () => {
    const found = controller();
    arrive(found, "a");
    dispatchedNames(found);
    arrive(found, "ba");
    expect(flowsOf(dispatchedNames(found))).toBe("ab");
  });
});

describe("program-aware-fairness", () => {
  const served = (
    parameters: object,
    usages: Readonly<Record<string, readonly [prompt: number, completion: number, at: number]>>,
  ) => {
    const controller = withPolicy("program-aware-fairness", parameters);
    for (const [flow, [promptTokens, completionTokens, at]] of Object.entries(usages)) {
      controller.arrive(named(flow, { flow }), at);
      for (const ticket of controller.dispatch(at, room()))
        controller.completed(ticket, { promptTokens, completionTokens }, at);
    }
    return controller;
  };

  it.each([
    [
      "the flow that was served least is first",
      {},
      { a: [10, 0, 0], b: [9, 0, 0], c: [11, 0, 0] },
      "bac",
    ],
    ["a completion token counts twice", {}, { a: [0, 10, 0], b: [19, 0, 0] }, "ba"],
    ["service counts half after a minute", {}, { a: [100, 0, 0], b: [51, 0, 60_000] }, "ab"],
    [
      "service never fades with lasHalfLifeSeconds 0",
      { lasHalfLifeSeconds: 0 },
      { a: [100, 0, 0], b: [99, 0, 60_000] },
      "ba",
    ],
    [
      "service fades over very many half-lives",
      { lasHalfLifeSeconds: 0.1 },
      { a: [100, 0, 0], b: [1, 0, 60_000] },
      "ab",
    ],
    ["an unknown flow counts as not served", {}, { a: [1, 0, 0] }, "ba"],
  ] as const)("%s", (_, parameters, usages, expected) => {
    const controller = served(parameters, usages as never);
    arrive(controller, [...expected].sort().join(""), 10, 60_000);
    expect(flowsOf(dispatchedNames(controller, {}, 60_000))).toBe(expected);
  });

  it("dispatches a flow that has waited long, by lasWeightHeadWait", () => {
    const order = (lasWeightHeadWait: number) => {
      const controller = served({ lasWeightHeadWait }, { a: [100, 0, 0], b: [0, 0, 0] });
      arrive(controller, "a", 10, 0);
      arrive(controller, "b", 10, 1_000);
      return flowsOf(dispatchedNames(controller, {}, 2_000));
    };
    expect(order(0.2)).toBe("ba");
    expect(order(0.9)).toBe("ab");
  });
});

describe("weighted-fairness-policy", () => {
  const type = "weighted-fairness-policy";

  it.each([
    ["tokens", {}, { a: 30, b: 10 }, "abbbabbb"],
    ["requests, whatever their size", { unit: "requests" }, { a: 30, b: 10 }, "abababab"],
    ["by weight", { weights: { a: 2 } }, { a: 10, b: 10 }, "ababaaba"],
    [
      "by the default weight for flows that are not named",
      { weights: { a: 1 }, defaultWeight: 3 },
      { a: 10, b: 10 },
      "abbbabbb",
    ],
    ["in turns of a quantum", { quantumTokens: 20 }, { a: 10, b: 10 }, "aabbaabb"],
  ] as const)("shares %s", (_, parameters, tokens, expected) => {
    const controller = withPolicy(type, parameters);
    for (let at = 0; at < 20; at += 1)
      for (const [flow, promptTokens] of Object.entries(tokens))
        controller.arrive(named(flow, { flow, promptTokens }), 0);
    expect(flowsOf(dispatchedNames(controller, { slots: 8 }))).toBe(expected);
  });

  it("shares by the weights of services, unless the configuration sets weights", () => {
    const served = (parameters: object) => {
      const controller = withPolicy(type, parameters);
      for (let at = 0; at < 20; at += 1)
        for (const [flow, share] of Object.entries({ a: 3, b: 1 }))
          controller.arrive(named(flow, { flow, share }), 0);
      return [...flowsOf(dispatchedNames(controller, { slots: 16 }))].filter((f) => f === "a")
        .length;
    };
    expect(served({})).toBe(12);
    expect(served({ weights: { a: 1 } })).toBe(8);
    expect(served({ weights: { b: 9 } })).toBe(4);
  });

  it("lets a new flow wait for at most one request of a busy flow", () => {
    const controller = withPolicy(type);
    arrive(controller, "a".repeat(500));
    dispatchedNames(controller, { slots: 300 });
    arrive(controller, "b");
    expect(flowsOf(dispatchedNames(controller, { slots: 2 }))).toContain("b");
  });

  it("does not keep an unused share, but keeps debt", () => {
    const controller = withPolicy(type);
    arrive(controller, "a".repeat(50));
    const tickets = controller.dispatch(0, room({ slots: 50 }));
    arrive(controller, "ab".repeat(20));
    expect(flowsOf(dispatchedNames(controller, { slots: 4 }))).toMatch(/^(ab|ba)+$/);
    for (const ticket of tickets.slice(0, 1))
      controller.completed(ticket, { completionTokens: 80 }, 0);
    // Three requests, each with a quarter of its expected response, make up for a response of 80 tokens.
    expect(flowsOf(dispatchedNames(controller, { slots: 7 }))).toBe("bbbabab");
  });

  it("counts requests that end without usage by their duration: no flow starves or gains if its clients disconnect", () => {
    const controller = withPolicy(type);
    const time = { a: 0, b: 0 };
    let now = 0;
    for (let turn = 0; turn < 1_000; turn += 1) {
      arrive(controller, "ab", 10, now);
      const [ticket] = controller.dispatch(now, room({ slots: 1 }));
      const flow = ticket?.request.flow.id as "a" | "b";
      const [took, usage] =
        flow === "a" ? [50, {}] : [800, { promptTokens: 10, completionTokens: 90 }];
      now += took;
      if (turn > 100) time[flow] += took;
      if (ticket !== undefined) controller.completed(ticket, usage, now);
    }
    expect(time.a / time.b).toBeGreaterThan(0.5);
    expect(time.a / time.b).toBeLessThan(2);
  });

  it("keeps the turn of a flow whose request is set aside", () => {
    const controller = withPolicy(type);
    arrive(controller, "aaaaabbbbb");
    const takes = ({ flow }: Named) => flow.id !== "a";
    expect(flowsOf(dispatchedNames(controller, { slots: 3, takes }))).toBe("bbb");
    expect(flowsOf(dispatchedNames(controller, { slots: 3 }))).toBe("aaa");
  });

  it("refuses a weight of 0", () => {
    expect(() => withPolicy(type, { weights: { a: 0 } })).toThrow("expected number to be >0");
  });
});

interface Requests {
  readonly slots: number;
  /** Milliseconds per response token, and per prompt token. */
  readonly token: number;
  readonly promptToken: number;
  /** Tokens of the next prompt, and of the next response. */
  readonly prompt: (random: () => number) => number;
  readonly answer: (random: () => number, flow: number) => number;
  /** Time at which the windows begin, in ms. */
  readonly from: number;
}

/** Runs ten flows that always have requests. Returns the tokens served per flow, for each ten seconds of a minute. */
function servedInWindows(seed: number, of: Requests): number[][] {
  const random = seeded(seed);
  const flows = Array.from({ length: 10 }, (_, at) => `f${at}`);
  const weights = Object.fromEntries(flows.map((flow, at) => [flow, 1 + (at % 8)]));
  const controller = withPolicy("weighted-fairness-policy", { weights });
  const windows = Array.from({ length: 6 }, () => flows.map(() => 0));
  /** Counts tokens that were served at a constant rate between two times. */
  const serve = (flow: number, tokens: number, from: number, until: number) => {
    for (const [at, window] of windows.entries()) {
      const start = of.from + at * 10_000;
      const part = Math.min(until, start + 10_000) - Math.max(from, start);
      if (part > 0) window[flow] = (window[flow] as number) + (tokens * part) / (until - from);
    }
  };
  const arriveTo = (flow: string, now: number) =>
    controller.arrive(named(flow, { flow, promptTokens: of.prompt(random) }), now);
  const ends: { at: number; end: () => void }[] = [];
  for (const flow of flows) for (let at = 0; at < 20; at += 1) arriveTo(flow, 0);
  let now = 0;
  for (;;) {
    for (;;) {
      const [ticket] = controller.dispatch(
        now,
        room({ slots: Math.min(1, of.slots - ends.length) }),
      );
      if (ticket === undefined) break;
      const { flow, promptTokens } = ticket.request;
      const index = flows.indexOf(flow.id);
      const completionTokens = of.answer(random, index);
      const firstAt = now + promptTokens * of.promptToken;
      const at = firstAt + completionTokens * of.token;
      serve(index, promptTokens, now, firstAt);
      serve(index, completionTokens, firstAt, at);
      ends.push({ at, end: () => controller.completed(ticket, { completionTokens }, at) });
      arriveTo(flow.id, now);
    }
    ends.sort((a, b) => b.at - a.at);
    const next = ends.pop();
    if (next === undefined || next.at > of.from + 60_000) return windows;
    now = next.at;
    next.end();
  }
}

const exponential = (mean: number) => (random: () => number) =>
  Math.ceil(-mean * Math.log(1 - random()));
const heavyTailed = (random: () => number) =>
  Math.min(4_000, Math.ceil(40 / (1 - random()) ** 0.9));

it.each<[string, number, Requests]>([
  [
    "prompts and responses with a few very long ones",
    0.1,
    {
      ...{ slots: 64, token: 0.2, promptToken: 0.2, from: 10_000 },
      ...{ prompt: heavyTailed, answer: heavyTailed },
    },
  ],
  [
    "responses that take longer than ten seconds",
    0.15,
    {
      ...{ slots: 800, token: 15, promptToken: 0.1, from: 60_000 },
      ...{ prompt: exponential(200), answer: exponential(1_000) },
    },
  ],
  [
    "every other flow with responses sixteen times as long",
    0.1,
    {
      ...{ slots: 800, token: 15, promptToken: 0.1, from: 60_000 },
      prompt: exponential(200),
      answer: (random, flow) => exponential(flow % 2 === 0 ? 50 : 800)(random),
    },
  ],
])(
  "weighted-fairness-policy serves weights 1 to 8 by their shares in every ten seconds: %s",
  (_, most, of) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        for (const window of servedInWindows(seed, of)) {
          const all = window.reduce((sum, served) => sum + served, 0);
          window.forEach((served, at) => {
            const share = (1 + (at % 8)) / 39;
            expect(Math.abs(served / all / share - 1)).toBeLessThan(most);
          });
        }
      }),
      // With many seeds, some window misses its share by a little.
      { numRuns: 5, seed: 14 },
    );
  },
);
