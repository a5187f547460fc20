import { expect, it } from "vitest";
import { flowOf } from "./route.ts";

it.each([
  ["its tenant, whichever service registers its model", "acme", "ns/bots", "acme"],
  ["the LLMService of its model if it has no tenant", undefined, "ns/bots", "ns/bots"],
  ["the default flow for all other requests", undefined, undefined, "default-flow"],
])("the flow of a request is %s", (_, tenant, service, expected) => {
  expect(flowOf({ tenant, service })).toBe(expected);
});
