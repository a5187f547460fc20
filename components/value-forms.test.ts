import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { isUnknown, recordProgram, withoutSecrets } from "../recorder/index.ts";
import { formatPath } from "../sdk/errors.ts";
import { label } from "../sdk/names.ts";
import { everyArgument, webhookUrls } from "../sdk/plan/every-argument.fixture.ts";
import { valueAt } from "../sdk/schemas/value-at.ts";
import { reasonToBePlain } from "../sdk/validate/outputs.ts";
import { replaced } from "../sdk/validate/replaced.ts";
import { pathsIn } from "../testing/paths-in.ts";
import * as exported from "./index.ts";

/** Every value that may be an Output, in each form: objects, their order, options, hooks and messages stay the same. */

const forms = {
  "an Output": (value: unknown) => pulumi.output(value),
  "a secret": (value: unknown) => pulumi.secret(value),
  "a value that only an update knows": () => pulumi.output(pulumi.unknown),
};

/** Values from which a plan reads more than the value itself. As an Output, they are planned as if it were unknown. */
const exceptions = [
  // The engine and its release: which probe it answers, and how it drains.
  /\.?image$/,
  // In which namespace a ReferenceGrant is created. A warning reports it.
  /^rules\[\d+\]\.pools\[\d+\]\.namespace$/,
];

interface Planned {
  /** Objects in clear text, by URN. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** Options and dependencies of each resource. */
  readonly options: ReadonlyArray<readonly [resource: string, options: unknown]>;
  readonly messages: readonly string[];
}

async function planned(kind: string, args: unknown): Promise<Planned> {
  const objects: Record<string, unknown> = {};
  const options: [string, unknown][] = [];
  const messages: string[] = [];
  const spies = (["warn", "info"] as const).map((level) =>
    vi.spyOn(pulumi.log, level).mockImplementation(async (message) => void messages.push(message)),
  );
  const record: pulumi.ResourceTransform = ({ type, name, opts }) => {
    options.push([`${type} ${name}`, plainOptions(opts)]);
    return undefined;
  };
  const Component = (exported as never)[kind] as new (name: string, ...more: unknown[]) => object;
  const { resources, diagnostics } = await recordProgram({
    project: "p",
    stack: "s",
    config: { "pulumi-inference:podPluginUrls": webhookUrls.join(",") },
    program: { run: async () => void new Component("x", args, { transforms: [record] }) },
  });
  for (const { urn, properties, dependencies } of resources) {
    objects[urn] = withoutRevision(withoutSecrets(properties));
    options.push([urn, dependencies]);
  }
  for (const spy of spies) spy.mockRestore();
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return {
    objects,
    options: options.sort(([a], [b]) => (a < b ? -1 : 1)),
    messages: messages.sort(),
  };
}

/** Returns options as JSON, with names instead of resources, and without the counts in names of hooks. */
const plainOptions = (opts: object): unknown =>
  JSON.parse(
    JSON.stringify(opts, (_, value) => {
      if (value instanceof pulumi.Resource) return (value as { __name?: string }).__name;
      return typeof value === "string" ? value.replace(/^(\w+) \d+ of /, "$1 of ") : value;
    }),
  );

/**
 * Removes the label of LeaderWorkerSets and PodGroups that hashes the pods: a value known later counts as null, because
 * the hash of a secret would make all metadata secret. No pod has the label.
 */
function withoutRevision(properties: unknown): unknown {
  const labels = valueAt(properties, ["metadata", "labels"]) as Record<string, unknown> | undefined;
  if (labels?.[label.revision] === undefined) return properties;
  return replaced(properties, ["metadata", "labels", label.revision], "hash");
}

/** Returns a value that is unknown wherever another one is. */
function unknownAs(other: unknown, value: unknown): unknown {
  if (isUnknown(other) || typeof value !== "object" || value === null)
    return isUnknown(other) ? other : value;
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    unknownAs(valueAt(other, [key]), each),
  ]);
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

describe.each(everyArgument.map((each) => [each.kind, each] as const))(
  "%s",
  (kind, { schema, specs }) => {
    it("plans the same from a value in every form", { timeout: 240_000 }, async () => {
      for (const spec of specs) {
        const args = { metadata: { name: "x", namespace: "y" }, ...spec };
        const literal = await planned(kind, args);
        for (const path of pathsIn(spec)) {
          const at = formatPath(path);
          if (reasonToBePlain(schema, path) !== undefined) continue;
          if (exceptions.some((exception) => exception.test(at))) continue;
          for (const [form, changed] of Object.entries(forms)) {
            const found = await planned(kind, replaced(args, path, changed(valueAt(args, path))));
            expect(found, `${at} as ${form}`).toEqual({
              ...literal,
              objects: unknownAs(found.objects, literal.objects),
            });
          }
        }
      }
    });
  },
);
