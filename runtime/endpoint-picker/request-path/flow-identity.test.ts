import { expect, it } from "vitest";
import { model, objects, service } from "../datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import { flowOf } from "./flow-identity.ts";

const services = [service("bots", [model("bot")])];
const registered = snapshotOf(objects({ services }), emptySnapshot).routing;
const open = snapshotOf(objects(), emptySnapshot).routing;
const from = (service: string | undefined, headers: Record<string, string> = {}) => ({
  ...{ service, fairnessId: "mine" },
  headers: new Map(Object.entries(headers)),
});

it.each([
  ["the LLMService of its model, whatever a client says", from("ns/bots"), registered, "ns/bots"],
  ["one for all other models of the pool", from(undefined), registered, "default-flow"],
  ["what the client says on a pool without registrations", from(undefined), open, "mine"],
])("the flow of a request is %s", (_, source, routing, expected) => {
  expect(flowOf(source, routing, undefined)).toBe(expected);
});

it("is a tenant where the pool's owner names a header of tenants and the request has it", () => {
  expect(flowOf(from("ns/bots", { "x-tenant": "acme" }), registered, "x-tenant")).toBe("acme");
  expect(flowOf(from("ns/bots", { "x-tenant": "" }), registered, "x-tenant")).toBe("ns/bots");
  expect(flowOf(from("ns/bots"), registered, "x-tenant")).toBe("ns/bots");
  expect(flowOf(from("ns/bots", { "x-tenant": "acme" }), registered, undefined)).toBe("ns/bots");
});
