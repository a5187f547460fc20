import fc from "fast-check";
import { expect, it } from "vitest";
import { inTurns, jsonParts } from "./page-parts.ts";

it("jsonParts gives the text of JSON.stringify", () => {
  const value = fc.letrec((again) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constant(undefined),
      fc.array(again("any"), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 3 }), again("any"), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (each) => {
      const page = { each };
      expect([...jsonParts(page)].join("")).toBe(`${JSON.stringify(page, null, 2)}\n`);
    }),
  );
});

it("5,000 endpoints are written over many turns of the event loop", async () => {
  let [inTurn, most] = [0, 0];
  const endpoint = {
    get id() {
      inTurn += 1;
      most = Math.max(most, inTurn);
      return "x".repeat(100);
    },
  };
  const turn = () => {
    inTurn = 0;
    turning = setImmediate(turn);
  };
  let turning = setImmediate(turn);
  let text = "";
  const page = { pool: { endpoints: new Array(5_000).fill(endpoint) } };
  for await (const piece of inTurns(jsonParts(page))) text += piece;
  clearImmediate(turning);
  expect(JSON.parse(text).pool.endpoints).toHaveLength(5_000);
  expect(most).toBeLessThan(1_000);
});
