import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { type Kind, kinds } from "../../kubernetes/kinds/index.ts";
import {
  Gateway,
  HTTPRoute,
  InferencePool,
  LeaderWorkerSet,
  type LeaderWorkerSetArgs,
  PodGroup,
  Queue,
} from "./index.ts";

const { version } = createRequire(import.meta.url)("@pulumi/kubernetes/package.json");

interface ResourceClass {
  readonly __pulumiType: string;
  new (
    name: string,
    args: unknown,
    opts?: pulumi.CustomResourceOptions,
  ): pulumi.CustomResource & {
    metadata: pulumi.Output<unknown>;
    status: pulumi.Output<unknown>;
  };
  get(name: string, id: string, opts?: pulumi.CustomResourceOptions): InstanceType<ResourceClass>;
  isInstance(value: unknown): boolean;
}

const classes = {
  Gateway,
  HTTPRoute,
  InferencePool,
  LeaderWorkerSet,
  PodGroup,
  Queue,
} as unknown as Record<Kind, ResourceClass>;
const each = Object.entries(classes) as Array<[Kind, ResourceClass]>;

const asked: Array<{ props: pulumi.Inputs; opts: pulumi.CustomResourceOptions }> = [];
const record = {
  transformations: [
    ({ props, opts }: pulumi.ResourceTransformationArgs) => {
      asked.push({ props, opts });
      return undefined;
    },
  ],
};
const sent: Array<{ type: string; inputs: Record<string, unknown>; id?: string | undefined }> = [];

beforeEach(async () => {
  asked.length = 0;
  sent.length = 0;
  await pulumi.runtime.setMocks({
    newResource: ({ type, inputs, id }) => {
      sent.push({ type, inputs, id });
      return { id: id ?? "ns/x", state: { ...inputs, status: { phase: "Running" } } };
    },
    call: () => ({}),
  });
});
afterEach(() => pulumi.runtime.disconnect());

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));

describe.each(each)("%s", (kind, Class) => {
  const { apiVersion } = kinds[kind];
  const type = `kubernetes:${apiVersion}:${kind}`;

  it("registers the provider's type, with the version of @pulumi/kubernetes", async () => {
    const made = new Class("x", { metadata: { name: "x" }, spec: { a: 1 } }, record);
    await known(made.urn);
    expect(Class.__pulumiType).toBe(type);
    expect(sent).toEqual([
      { type, inputs: { apiVersion, kind, metadata: { name: "x" }, spec: { a: 1 } }, id: "" },
    ]);
    expect(asked[0]?.opts.version).toBe(version);
  });

  it("has its status as an output", async () => {
    const made = new Class("x", { spec: {} });
    expect(await known(made.status)).toEqual({ phase: "Running" });
  });

  it("is recognised by its type", () => {
    const made = new Class("x", { spec: {} });
    expect(each.filter(([, Other]) => Other.isInstance(made))).toEqual([[kind, Class]]);
    expect(Class.isInstance({ __pulumiType: type })).toBe(true);
    expect(Class.isInstance(null)).toBe(false);
  });

  it("reads an existing object, with no inputs", async () => {
    const read = Class.get("x", "ns/x", record);
    await known(read.urn);
    expect(sent).toEqual([{ type, inputs: {}, id: "ns/x" }]);
    expect(Object.keys(asked[0]?.props ?? {})).toEqual([
      "apiVersion",
      "kind",
      "metadata",
      "spec",
      "status",
    ]);
  });
});

describe("replacement", () => {
  const optionsOf = (make: () => unknown) => {
    make();
    return asked[0]?.opts;
  };

  it("replacement of an object with a fixed name deletes the old one first", () => {
    const args = { metadata: { name: "x" }, spec: {} };
    expect(optionsOf(() => new HTTPRoute("x", args, record))?.deleteBeforeReplace).toBe(true);
  });

  it("replacement of an object with a generated name creates first, unless the old one holds capacity", () => {
    expect(
      optionsOf(() => new HTTPRoute("x", { spec: {} }, record))?.deleteBeforeReplace,
    ).toBeUndefined();
    asked.length = 0;
    expect(optionsOf(() => new PodGroup("x", { spec: {} }, record))?.deleteBeforeReplace).toBe(
      true,
    );
  });

  it("replacement follows the options of the program in addition to the kind's options", () => {
    const args = { spec: { leaderWorkerTemplate: { workerTemplate: {} } } };
    const opts = {
      ...record,
      deleteBeforeReplace: false,
      replaceOnChanges: ["spec.networkConfig"],
    };
    const { deleteBeforeReplace, replaceOnChanges } =
      optionsOf(() => new LeaderWorkerSet("x", args, opts)) ?? {};
    expect(deleteBeforeReplace).toBe(false);
    expect(replaceOnChanges).toEqual([
      "spec.leaderWorkerTemplate.subGroupPolicy",
      "spec.leaderWorkerTemplate.volumeClaimTemplates",
      "spec.networkConfig",
    ]);
  });
});

describe("types", () => {
  it("types accept Outputs in leaves, and have plain values in outputs", () => {
    expectTypeOf<{
      spec: { replicas: pulumi.Output<number>; leaderWorkerTemplate: { workerTemplate: object } };
    }>().toExtend<LeaderWorkerSetArgs>();
    expectTypeOf<LeaderWorkerSet["status"]>().toEqualTypeOf<
      pulumi.Output<import("./index.ts").LeaderWorkerSetStatus | undefined>
    >();
    expectTypeOf<LeaderWorkerSet["kind"]>().toEqualTypeOf<pulumi.Output<"LeaderWorkerSet">>();
    expectTypeOf<pulumi.Unwrap<LeaderWorkerSet["spec"]>["replicas"]>().toEqualTypeOf<
      number | undefined
    >();
  });
});
