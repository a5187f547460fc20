import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { breakingChanges } from "./compatibility.ts";
import type { PackageSchema } from "./package-schema.ts";
import { releasedSchemaFile } from "./released-schema.ts";

const read = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../..", path), "utf8"));

describe("breakingChanges", () => {
  const token = "inference:index:Pool";
  const released = {
    resources: {
      [token]: {
        inputProperties: {
          name: { type: "string" },
          roles: { type: "array", items: { type: "string" } },
        },
        requiredInputs: ["name"],
        properties: { url: { type: "string" } },
      },
    },
    types: {
      "inference:index:Mode": { type: "string", enum: [{ name: "Fast", value: "fast" }] },
      "inference:index:Role": {
        type: "object",
        properties: { count: { type: "integer", plain: true } },
      },
    },
  };
  type Writable = {
    resources: Record<
      string,
      {
        inputProperties: Record<string, object>;
        requiredInputs: string[];
        properties: Record<string, object>;
      }
    >;
    types: Record<
      string,
      {
        type: string;
        properties: Record<string, object>;
        required?: string[];
        enum: Array<{ name: string; value: string }>;
      }
    >;
  };
  const changesAfter = (change: (schema: Writable) => void): string[] => {
    const changed = structuredClone(released) as unknown as Writable;
    change(changed);
    return breakingChanges(
      released as unknown as PackageSchema,
      changed as unknown as PackageSchema,
    );
  };
  const pool = ({ resources }: Writable) => resources[token] as Writable["resources"][string];
  const typed = ({ types }: Writable, name: string) =>
    types[`inference:index:${name}`] as Writable["types"][string];

  it("accepts additions", () => {
    const added = changesAfter((schema) => {
      pool(schema).inputProperties.weight = { type: "integer" };
      typed(schema, "Mode").enum.push({ name: "Slow", value: "slow" });
      schema.types["inference:index:New"] = { type: "string", properties: {}, enum: [] };
    });
    expect(added).toEqual([]);
  });

  it.each<[string, (schema: Writable) => void, RegExp]>([
    [
      "a removed resource",
      (s) => delete s.resources[token],
      /^resource inference:index:Pool is missing\. Restore it/,
    ],
    [
      "a removed type",
      (s) => delete s.types["inference:index:Role"],
      /^type inference:index:Role is missing/,
    ],
    [
      "a token in a different case",
      (s) => {
        s.resources["inference:index:POOL"] = pool(s);
        delete s.resources[token];
      },
      /Pool is missing\. inference:index:POOL has a different case\./,
    ],
    ["a removed argument", (s) => delete pool(s).inputProperties.name, /argument name is missing/],
    ["a removed output", (s) => delete pool(s).properties.url, /output url is missing/],
    [
      "a required argument",
      (s) => pool(s).requiredInputs.push("roles"),
      /argument roles has become required/,
    ],
    [
      "a required property",
      (s) => (typed(s, "Role").required = ["count"]),
      /property count has become required/,
    ],
    ["a removed value", (s) => typed(s, "Mode").enum.pop(), /Mode has lost the value fast/],
    [
      "a renamed member",
      (s) => (typed(s, "Mode").enum = [{ name: "Quick", value: "fast" }]),
      /was named Fast and is named Quick/,
    ],
    [
      "a changed kind of type",
      (s) => (typed(s, "Mode").type = "number"),
      /Mode was string and is number/,
    ],
    [
      "a changed type",
      (s) => (pool(s).inputProperties.roles = { type: "array", items: { type: "integer" } }),
      /argument roles was list of string and is list of integer/,
    ],
    [
      "an argument that was plain",
      (s) => (typed(s, "Role").properties.count = { type: "integer" }),
      /property count was plain integer and is integer/,
    ],
  ])("reports %s", (_, change, text) => {
    expect(changesAfter(change)).toEqual([expect.stringMatching(text)]);
  });
});

it("the schema breaks no program that uses the released one", () => {
  expect(breakingChanges(read(releasedSchemaFile), read("plugin/schema.json"))).toEqual([]);
});
