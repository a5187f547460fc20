import { describe, expect, it } from "vitest";
import { clientGroup } from "../../../sdk/rollout/client-group.ts";
import { body, Conversation, post } from "../server/conversation.fixture.ts";
import { prompt } from "../server/exchange-messages.fixture.ts";
import { Tenants } from "./tenants.ts";

const minutes = 60_000;
const from = (tenant: string, forwarded?: string) =>
  new Map([
    ["x-tenant", tenant],
    ...(forwarded === undefined ? [] : [["x-forwarded-for", forwarded] as const]),
  ]);

describe("the tenant of a request", () => {
  it("is read only from the header that the gateway sets", () => {
    const none = new Tenants({ header: undefined });
    const named = new Map([["x-llm-d-inference-fairness-id", "acme"]]);
    expect(none.of(named, 0)).toBeUndefined();
    const tenants = new Tenants({ header: "x-tenant" });
    expect(tenants.of(named, 0)).toBeUndefined();
    expect(tenants.of(from(""), 0)).toBeUndefined();
    expect(tenants.of(from("acme"), 0)).toBe("acme");
  });

  it.each(["x-llm-d-inference-fairness-id", "x-gateway-inference-fairness-id", "session-id"])(
    "is not read from a client's header %s",
    (name) => {
      const proxy = new Conversation();
      proxy.say(post({ [name]: "victim" }), body(prompt));
      expect(proxy.events.received).toMatchObject([{ fairnessId: "default-flow" }]);
    },
  );

  it("equals the header that the gateway sets", () => {
    const proxy = new Conversation({ tenantHeader: "x-llm-d-inference-fairness-id" });
    proxy.say(post({ "x-llm-d-inference-fairness-id": "acme" }), body(prompt));
    expect(proxy.events.received).toMatchObject([{ fairnessId: "acme" }]);
  });

  it("is named by issuer and claim together, and only if the gateway sets both", () => {
    const tenants = new Tenants({ header: "x-issuer,x-tenant" });
    const of = (issuer: string, tenant: string) =>
      tenants.of(
        new Map([
          ["x-issuer", issuer],
          ["x-tenant", tenant],
        ]),
        0,
      );
    expect(of("https://a.example", "ann")).toBe("https://a.example ann");
    expect(of("https://b.example", "ann")).toBe("https://b.example ann");
    expect(of("", "ann")).toBeUndefined();
    expect(tenants.of(from("ann"), 0)).toBeUndefined();
  });

  it("is the client that the gate of a rollout counts, or else its address is", () => {
    const header = "x-tenant";
    const clientOf = (headers: Record<string, string>) => {
      const proxy = new Conversation({ tenantHeader: header });
      proxy.say(post(headers), body(prompt));
      return proxy.events.sent[0]?.client;
    };
    const forwarded = "198.51.100.1, 192.0.2.1";
    expect(clientOf({ [header]: "acme", "x-forwarded-for": forwarded })).toBe(
      clientGroup("acme", undefined),
    );
    expect(clientOf({ "x-forwarded-for": forwarded })).toBe(clientGroup(undefined, "192.0.2.1"));
    expect(clientOf({})).toBe(clientGroup(undefined, undefined));
  });

  it("is the default flow if its address has too many tenants", () => {
    const tenants = new Tenants({ header: "x-tenant", perAddress: 2 });
    const of = (tenant: string, address: string, now = 0) =>
      tenants.of(from(tenant, `1.1.1.1, ${address}`), now);
    expect(["a", "b", "c", "a"].map((tenant) => of(tenant, "10.0.0.1"))).toEqual([
      ...["a", "b", "default-flow", "a"],
    ]);
    expect(of("c", "10.0.0.2")).toBe("c");
    expect(of("b", "10.0.0.1", 4 * minutes)).toBe("b");
    expect(of("c", "10.0.0.1", 5 * minutes)).toBe("c");
    expect(of("a", "10.0.0.1", 5 * minutes)).toBe("default-flow");
  });

  it("is not limited if the address is unknown or the limit is 0", () => {
    const few = new Tenants({ header: "x-tenant", perAddress: 1 });
    expect(["a", "b"].map((tenant) => few.of(from(tenant), 0))).toEqual(["a", "b"]);
    const any = new Tenants({ header: "x-tenant", perAddress: 0 });
    expect(["a", "b"].map((tenant) => any.of(from(tenant, "::1"), 0))).toEqual(["a", "b"]);
  });

  it("is hashed if it is long, and the oldest addresses are forgotten", () => {
    const tenants = new Tenants({ header: "x-tenant", perAddress: 1 });
    const long = (end: string) => "t".repeat(50_000) + end;
    const [first, second] = [long("1"), long("2")].map((tenant) => tenants.of(from(tenant), 0));
    expect([first?.length, second?.length]).toEqual([44, 44]);
    expect(first).not.toBe(second);
    for (let at = 0; at <= 10_000; at += 1) tenants.of(from("a", `c${at}`), 0);
    expect(tenants.of(from("b", "c0"), 0)).toBe("b");
    expect(tenants.of(from("b", "c10000"), 0)).toBe("default-flow");
  });
});
