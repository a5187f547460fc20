import { expect, it } from "vitest";
import { showsColour } from "./terminal.ts";

it.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("an output with isTerminal %s and %j shows colours: %s", (isTerminal, env, expected) => {
  expect(showsColour(isTerminal, env)).toBe(expected);
});
