import { expect, it } from "vitest";
import { z } from "zod";
import { bare, factsOf } from "../sdk/schemas/argument.ts";
import { componentArguments } from "../sdk/spec/components.ts";
import { referencePages } from "./reference-pages.ts";

const pages = referencePages();
const everything = [...pages.values()].join("\n");

/** Returns every key of a schema, at any depth, with its field. */
function keysOf(schema: z.ZodType): Array<readonly [key: string, field: z.ZodType]> {
  const known = bare(schema);
  if (factsOf(schema).type !== undefined) return [];
  if (known instanceof z.ZodArray) return keysOf(known.element as z.ZodType);
  if (known instanceof z.ZodUnion)
    return known.options.flatMap((option) => keysOf(option as z.ZodType));
  if (!(known instanceof z.ZodObject)) return [];
  return Object.entries(known.shape).flatMap(([key, field]) => [
    [key, field as z.ZodType],
    ...keysOf(field as z.ZodType),
  ]);
}

it.each(Object.entries(componentArguments))("the reference has every key of %s", (_, schema) => {
  const keys = keysOf(schema).map(([key]) => key);
  expect(keys.filter((key) => !everything.includes(`\n| \`${key}\` | `))).toEqual([]);
});

it("the reference contains the keys that may be Outputs, and the defaults", () => {
  const rowOf = (page: string, key: string) =>
    pages
      .get(`docs/reference/${page}.md`)
      ?.split("\n")
      .filter((line) => line.startsWith(`| \`${key}\` |`));
  expect(rowOf("types", "image")?.every((row) => row.includes(", or an Output | "))).toBe(true);
  expect(rowOf("InferenceRoute", "hostnames")?.[0]).toMatch(
    /^\| `hostnames` \| .+ \| list of string, or of Outputs \| {2}\|$/,
  );
  expect(rowOf("InferenceService", "workload")?.[0]).toMatch(
    /^\| `workload` \| .+ \| \[WorkloadMode\]\(#workloadmode\) \| `auto` \|$/,
  );
  expect(rowOf("InferenceService", "roles")?.[0]).toMatch(/\| required \|$/);
});
