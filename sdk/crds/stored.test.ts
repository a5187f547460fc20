import { describe, expect, it } from "vitest";
import { z } from "zod";
import { storedAs } from "../schemas/argument.ts";
import { stored } from "./stored.ts";
import { structuralSchema } from "./structural-schema.ts";

describe("stored", () => {
  it("replaces defaults at any depth by a sentence in the description", () => {
    const schema = z.strictObject({
      size: z.int().default(3).describe("How many."),
      mode: z.enum(["a", "b"]).default("a").describe("Default b with a list, else a."),
      inner: z.strictObject({ on: z.boolean().default(true) }).prefault({}),
      list: z.array(z.strictObject({ name: z.string().default("x") })).default([]),
    });
    expect(structuralSchema(stored(schema))).toEqual({
      type: "object",
      properties: {
        size: { type: "integer", description: "How many. Default 3." },
        mode: { type: "string", enum: ["a", "b"], description: "Default b with a list, else a." },
        inner: {
          type: "object",
          properties: { on: { type: "boolean", description: "Default true." } },
        },
        list: {
          type: "array",
          description: "Default none.",
          items: {
            type: "object",
            properties: { name: { type: "string", description: "Default x." } },
          },
        },
      },
    });
  });

  it("uses the stored form of a field", () => {
    const schema = z.strictObject({
      count: storedAs(z.int32(), z.int().min(1)).optional().describe("A count."),
    });
    expect(structuralSchema(stored(schema)).properties).toEqual({
      count: { type: "integer", format: "int32", description: "A count." },
    });
  });

  it("merges the objects of a union into one, with rules for fields that are not in all of them", () => {
    const rule = { rule: "self.kind != 'a' || self.name != ''", message: "named" };
    const schema = z
      .discriminatedUnion("kind", [
        z.strictObject({
          kind: z.enum(["a", "b"]).describe("Which."),
          name: z.string(),
          size: z.int().default(3),
          loose: storedAs(z.looseObject({}), z.strictObject({})),
        }),
        z.strictObject({ kind: z.literal("c"), name: z.string(), colour: z.string() }),
      ])
      .meta({ "x-kubernetes-validations": [rule] });
    expect(structuralSchema(stored(schema))).toEqual({
      type: "object",
      properties: {
        kind: { type: "string", enum: ["a", "b", "c"], description: "Which." },
        name: { type: "string" },
        size: { type: "integer", description: "Default 3." },
        loose: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        colour: { type: "string" },
      },
      required: ["kind", "name"],
      "x-kubernetes-validations": [
        { rule: "!has(self.size) || self.kind != 'c'", message: "size is not for a c" },
        { rule: "!has(self.colour) || self.kind == 'c'", message: "colour is only for a c" },
        rule,
      ],
    });
  });
});
