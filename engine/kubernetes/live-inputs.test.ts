import { describe, expect, test } from "vitest";
import { driftedInputs } from "./live-inputs.ts";

describe("inputs after a refresh", () => {
  test.each([
    [
      "the server's spelling of a value does not count as drift",
      { cpu: "1000m" },
      { cpu: "1" },
      { cpu: "1" },
      { cpu: "1000m" },
    ],
    ["a changed value is", { cpu: "1000m" }, { cpu: "1" }, { cpu: "2" }, { cpu: "2" }],
    [
      "a removed field is",
      { a: { x: 1, y: 1 } },
      { a: { x: 1, y: 1 } },
      { a: { x: 1 } },
      { a: { x: 1 } },
    ],
    ["a field that the inputs lack does not", { a: 1 }, { a: 1 }, { a: 1, b: 2 }, { a: 1 }],
    ["an empty map that the server drops is not", { labels: {} }, {}, {}, { labels: {} }],
    [
      "items are compared one by one",
      { l: [{ a: "1000m", b: 1 }] },
      { l: [{ a: "1", b: 1 }] },
      { l: [{ a: "1", b: 2 }] },
      { l: [{ a: "1000m", b: 2 }] },
    ],
    [
      "a list of another length is drift as a whole",
      { l: [1] },
      { l: [1] },
      { l: [1, 2] },
      { l: [1, 2] },
    ],
    ["a value that is as wanted again is none", { a: 1 }, { a: 2 }, { a: 1 }, { a: 1 }],
  ])("%s", (_, inputs, lastSeen, live, expected) => {
    expect(driftedInputs(inputs, lastSeen, live)).toEqual(expected);
  });
});
