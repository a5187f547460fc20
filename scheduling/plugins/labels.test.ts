import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cycleOf, endpoint, leftBy, pluginOf, podsOf } from "../cycles.fixture.ts";

const pod = (name: string, labels: Record<string, string>) => endpoint(name, { labels });

const left = (
  type: string,
  parameters: object,
  pods: Readonly<Record<string, Record<string, string>>>,
) =>
  leftBy(
    pluginOf(type, parameters),
    cycleOf(Object.entries(pods).map(([name, labels]) => pod(name, labels))),
  );

describe("filters by role", () => {
  const roles = [
    ...["decode", "prefill", "encode", "prefill-decode", "encode-prefill"],
    ...["encode-prefill-decode", "both", "other"],
  ];
  const pods = Object.fromEntries([
    ...roles.map((role) => [role, { "llm-d.ai/role": role }]),
    ["unlabelled", { app: "m" }],
  ]);

  it.each([
    ["decode-filter", ["decode", "prefill-decode", "encode-prefill-decode", "both", "unlabelled"]],
    [
      "prefill-filter",
      ["prefill", "prefill-decode", "encode-prefill", "encode-prefill-decode", "both"],
    ],
    ["encode-filter", ["encode", "encode-prefill", "encode-prefill-decode"]],
  ])("%s", (type, expected) => {
    expect(left(type, {}, pods)).toEqual(expected);
  });
});

describe("by-label", () => {
  const pods = { x: { zone: "x" }, y: { zone: "y" }, none: {}, empty: { zone: "" } };

  it.each([
    [{ label: "zone", validValues: ["x"] }, ["x"]],
    [{ label: "zone", validValues: ["y", "x"] }, ["x", "y"]],
    [{ label: "zone", validValues: ["x"], allowsNoLabel: true }, ["x", "none"]],
    [{ label: "zone", allowsNoLabel: true }, ["none"]],
    [{ label: "other", validValues: ["x"] }, []],
  ])("%j", (parameters, expected) => {
    expect(left("by-label", parameters, pods)).toEqual(expected);
  });

  it.each([
    [{ label: "zone" }, "no pod would pass: give validValues, or allowsNoLabel: true"],
    [{ label: "", validValues: ["x"] }, "Too small: expected string to have >=1 characters"],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf("by-label", parameters)).toThrow(message);
  });
});

describe.each(["label-selector-filter", "by-label-selector"])("%s", (type) => {
  const pods = { x: { zone: "x", tier: "1" }, y: { zone: "y" }, none: {} };
  const expression = (operator: string, ...values: string[]) => ({
    matchExpressions: [{ key: "zone", operator, ...(values.length > 0 && { values }) }],
  });

  it.each([
    ["nothing asked", {}, ["x", "y", "none"]],
    ["a label", { matchLabels: { zone: "x" } }, ["x"]],
    ["labels that one pod has not both of", { matchLabels: { zone: "y", tier: "1" } }, []],
    ["In", expression("In", "x", "z"), ["x"]],
    ["NotIn, which those without the label pass", expression("NotIn", "x"), ["y", "none"]],
    ["Exists", expression("Exists"), ["x", "y"]],
    ["DoesNotExist", expression("DoesNotExist"), ["none"]],
    [
      "labels and expressions together",
      { matchLabels: { tier: "1" }, ...expression("In", "x", "y") },
      ["x"],
    ],
  ])("%s", (_, parameters, expected) => {
    expect(left(type, parameters, pods)).toEqual(expected);
  });

  it.each([
    [expression("In")],
    [expression("NotIn")],
    [expression("Exists", "x")],
    [expression("DoesNotExist", "x")],
  ])("refuses %j", (parameters) => {
    expect(() => pluginOf(type, parameters)).toThrow(
      "In and NotIn need values, Exists and DoesNotExist have none",
    );
  });

  it("refuses other operators", () => {
    expect(() => pluginOf(type, expression("Gt", "1"))).toThrow("Invalid option");
  });
});

it("header-based-testing-filter leaves everything", () => {
  expect(left("header-based-testing-filter", {}, { a: {}, b: {} })).toEqual(["a", "b"]);
});

it("every filter by label leaves a subset, in order", () => {
  const label = fc.constantFrom("decode", "prefill", "both", "x", undefined);
  const filters = [
    pluginOf("decode-filter"),
    pluginOf("prefill-filter"),
    pluginOf("encode-filter"),
    pluginOf("by-label", { label: "llm-d.ai/role", validValues: ["x"], allowsNoLabel: true }),
    pluginOf("label-selector-filter", { matchLabels: { "llm-d.ai/role": "both" } }),
  ];
  fc.assert(
    fc.property(fc.array(label), fc.constantFrom(...filters), (roles, filter) => {
      const endpoints = roles.map((role, at) =>
        pod(`p${at}`, role === undefined ? {} : { "llm-d.ai/role": role }),
      );
      const found = leftBy(filter, cycleOf(endpoints));
      expect(podsOf(endpoints).filter((name) => found.includes(name))).toEqual(found);
    }),
  );
});
