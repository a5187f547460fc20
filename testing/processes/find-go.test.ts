import { expect, it } from "vitest";
import { isNewEnough } from "./find-go.ts";

it.each([
  ["go version go1.26.8 linux/amd64", true],
  ["go version go1.26 linux/amd64", true],
  ["go version go1.27rc1 darwin/arm64", true],
  ["go version go2.0.1 linux/amd64", true],
  ["go version go1.25.12 linux/amd64", false],
  ["go version go1.9 linux/amd64", false],
  ["go version devel +abc", false],
])("%s: %s", (version, enough) => {
  expect(isNewEnough(version)).toBe(enough);
});
