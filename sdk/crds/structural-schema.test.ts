import { describe, expect, it } from "vitest";
import { z } from "zod";
import { structuralSchema } from "./structural-schema.ts";

describe("structuralSchema", () => {
  it("keeps bounds, defaults and descriptions, and writes int32 as a format", () => {
    const schema = z.strictObject({
      replicas: z.int32().min(0).default(1).describe("How many."),
      names: z.array(z.string().max(63)).min(1),
    });
    expect(structuralSchema(schema)).toEqual({
      type: "object",
      properties: {
        replicas: {
          type: "integer",
          format: "int32",
          minimum: 0,
          default: 1,
          description: "How many.",
        },
        names: { type: "array", minItems: 1, items: { type: "string", maxLength: 63 } },
      },
      required: ["names"],
    });
  });

  it("omits the bounds of JavaScript's safe integers", () => {
    expect(structuralSchema(z.int())).toEqual({ type: "integer" });
  });

  it("distinguishes closed objects, open objects, maps and unknown values", () => {
    const schema = z.strictObject({
      closed: z.strictObject({ a: z.string() }),
      open: z.looseObject({ a: z.string() }),
      map: z.record(z.string(), z.int()),
      anything: z.unknown().optional(),
    });
    const kept = { "x-kubernetes-preserve-unknown-fields": true };
    expect(structuralSchema(schema).properties).toEqual({
      closed: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      open: { type: "object", properties: { a: { type: "string" } }, required: ["a"], ...kept },
      map: { type: "object", additionalProperties: { type: "integer" } },
      anything: kept,
    });
  });

  it.each([
    [
      "a union of types",
      z.union([z.string(), z.boolean()]),
      /field: a union of string and boolean/,
    ],
  ])("refuses %s with its path", (_name, field, message) => {
    expect(() => structuralSchema(z.strictObject({ field }))).toThrow(message);
  });
});
