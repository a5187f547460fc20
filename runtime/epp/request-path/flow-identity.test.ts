import { expect, it } from "vitest";
import { flowOf } from "./route.ts";

it.each([
  ["its tenant, whoever registers its model", "acme", "ns/bots", "acme"],
  ["the LLMService of its model without a tenant", undefined, "ns/bots", "ns/bots"],
  ["one for all other requests", undefined, undefined, "default-flow"],
])("the flow of a request is %s", (_, tenant, service, expected) => {
  expect(flowOf({ tenant, service })).toBe(expected);
});
