import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { upgradeImpact } from "../program-tests/check-upgrade.ts";
import { isProviderType, recordProgram } from "../recorder/index.ts";
import { previewedState } from "../testing/programs/previewed-state.ts";
import { openStack } from "../testing/programs/pulumi-stack.ts";
import { router, worker } from "../testing/samples/sample-service.ts";
import { type ComponentCase, components } from "./every-component.fixture.ts";
import { InferenceCrds, InferencePlatform, MultiClusterInferenceService } from "./index.ts";

/**
 * Pulumi's resource options of every component, and their effect on its children. `import` is not an option of
 * components; `transform` and `transforms` set it for a child.
 */

/** Every component once, behind its first gateway. */
const cases: readonly ComponentCase[] = [
  ...[...Map.groupBy(components, ({ type }) => type.name).values()].flatMap(
    ([first]) => first ?? [],
  ),
  { title: "InferenceCrds", type: InferenceCrds, argsOf: () => ({}) },
  {
    title: "InferencePlatform",
    type: InferencePlatform,
    // One of its parts has every stage; all of them have megabytes of schemas.
    argsOf: () => ({ gatewayApi: false, inferenceExtension: false, volcano: false, keda: false }),
  },
  {
    title: "MultiClusterInferenceService",
    type: MultiClusterInferenceService,
    argsOf: () => ({
      clusters: ["east", "west"].map((name) => ({ name, provider: new k8s.Provider(name, {}) })),
      roles: [worker(), router()],
      route: { picker: {}, parentRefs: [{ name: "gateway" }] },
    }),
  },
];

/** Components whose objects have fixed names. */
const withFixedNames = new Set([
  "InferenceControllers",
  "InferenceCrds",
  "InferencePlatform",
  "ClusterSet",
  "ClusterSetMember",
]);

/** Components that one program can contain: each with a fixed name has a program of its own. */
const programs = [
  cases.filter(({ type }) => !withFixedNames.has(type.name)),
  ...cases.filter(({ type }) => withFixedNames.has(type.name)).map((each) => [each]),
].map((all) => ({ title: all.map(({ title }) => title).join(", "), all }));

const isObject = ({ type }: { readonly type: string }) => type.startsWith("kubernetes:");

/** Edits the labels of every child. */
const label: pulumi.ResourceTransform = ({ type, props, opts }) =>
  isObject({ type })
    ? { props: { ...props, metadata: { ...props.metadata, labels: { team: "b" } } }, opts }
    : undefined;

const nothing = { replaced: 0, deleted: 0, created: 0, updated: 0 };

describe.each(programs)("$title", ({ all }) => {
  /** Creates every component. Their names begin with `name`; the names of their objects stay. */
  const make = (optsOf: (formerName: string) => object, name = "some") =>
    all.map(({ type, argsOf }, at) => {
      const metadata = withFixedNames.has(type.name) ? {} : { metadata: { name: `some-${at}` } };
      const args = { ...argsOf(`some-${at}`), ...metadata };
      return new type(`${name}-${at}`, args as never, optsOf(`some-${at}`));
    });
  let state: Awaited<ReturnType<typeof previewedState>>;
  let children: number;
  beforeAll(async () => {
    state = await previewedState(async () => void make(() => ({})));
    children = state.deployment.resources.filter(isObject).length;
  });
  /** Returns the effect of an edit of the options, and of the components' names, by the Pulumi CLI. */
  const edited = async (optsOf: (formerName: string) => object, name?: string) => {
    const run = async () => void make(optsOf, name);
    const stack = openStack({ project: "p", stack: "s", program: { run } });
    await stack.import(state);
    const impact = upgradeImpact(await stack.previewJson(), false);
    const { replaced, deleted, created, updated } = impact;
    return {
      replaced: replaced.length,
      deleted: deleted.length,
      created: created.length,
      updated: updated.length,
    };
  };

  it("aliases of renamed components keep all children", async () => {
    expect(await edited((name) => ({ aliases: [{ name }] }), "renamed")).toEqual(nothing);
    expect((await edited(() => ({}), "renamed")).deleted).toBe(children);
  });

  it("transforms change every child", async () => {
    expect(await edited(() => ({ transforms: [label] }))).toEqual({
      ...nothing,
      updated: children,
    });
  });

  it("ignoreChanges applies to every child", async () => {
    const opts = { transforms: [label], ignoreChanges: ["metadata.labels"] };
    expect(await edited(() => opts)).toEqual(nothing);
  });

  it("replaceOnChanges applies to every child", async () => {
    const opts = { transforms: [label], replaceOnChanges: ["metadata.labels"] };
    expect(await edited(() => opts)).toEqual({ ...nothing, replaced: children });
  });

  it.each(["provider", "providers"])(
    "%s, protect and retainOnDelete apply to every child",
    async (option) => {
      const seen = new Map<string, pulumi.CustomResourceOptions>();
      const record: pulumi.ResourceTransform = ({ custom, name, opts }) => {
        if (custom) seen.set(name, opts);
        return undefined;
      };
      const run = async () => {
        const provider = new k8s.Provider("gpu", {});
        const given = { [option]: option === "provider" ? provider : [provider] };
        const options = { ...given, protect: true, retainOnDelete: true, transforms: [record] };
        make(() => options);
      };
      const { resources, succeeded } = await recordProgram({
        project: "p",
        stack: "s",
        program: { run },
      });
      expect(succeeded).toBe(true);
      const objects = resources.filter(
        ({ type, provider }) => provider !== undefined && !isProviderType(type),
      );
      expect(objects.length).toBeGreaterThan(0);
      for (const { name, urn, provider } of objects) {
        if (!urn.includes("MultiClusterInferenceService"))
          expect(provider, name).toContain("pulumi:providers:kubernetes::gpu::");
        expect(seen.get(name), name).toMatchObject({ protect: true, retainOnDelete: true });
      }
    },
  );
});
