import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { plainArguments } from "./plain-arguments.ts";

describe("plainArguments", () => {
  it("replaces known lists and objects by their values", async () => {
    const pool = new pulumi.DependencyResource("urn:pulumi:s::p::t::pool");
    const poolRef = new (pulumi.Output as unknown as new (...of: unknown[]) => unknown)(
      [pool],
      Promise.resolve([{ name: "shared" }]),
      Promise.resolve(true),
      Promise.resolve(false),
      Promise.resolve([]),
    );
    expect(await plainArguments({ poolRef, share: 5 })).toEqual({
      args: { poolRef: [{ name: "shared" }], share: 5 },
      dependsOn: [pool],
    });
  });

  it.each([
    ["a single value", pulumi.output("a")],
    ["a secret", pulumi.secret({ key: "value" })],
    ["an unknown value", pulumi.output(pulumi.unknown)],
  ])("leaves %s an Output", async (_, value) => {
    const { args, dependsOn } = await plainArguments({ value });
    expect(args.value).toBe(value);
    expect(dependsOn).toEqual([]);
  });
});
