import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { isProviderType, memoryState, openStack } from "../engine/index.ts";
import { previewedState } from "../testing/programs/previewed-state.ts";
import { router, worker } from "../testing/samples/sample-service.ts";
import { checkUpgrade, type UpgradeImpact } from "../upgrade/index.ts";
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

const isObject = ({ type }: { readonly type: string }) => type.startsWith("kubernetes:");

/** Edits the labels of every child. */
const label: pulumi.ResourceTransform = ({ type, props, opts }) =>
  isObject({ type })
    ? { props: { ...props, metadata: { ...props.metadata, labels: { team: "b" } } }, opts }
    : undefined;

const countsOf = ({ replaced, deleted, created, updated }: UpgradeImpact) => ({
  replaced: replaced.length,
  deleted: deleted.length,
  created: created.length,
  updated: updated.length,
});
const nothing = { replaced: 0, deleted: 0, created: 0, updated: 0 };

describe.each(cases)("$title", ({ type, argsOf }) => {
  const metadata = withFixedNames.has(type.name) ? {} : { metadata: { name: "some" } };
  const program = (opts: object, name = "some") => ({
    run: async () => void new type(name, { ...argsOf("some"), ...metadata } as never, opts),
  });
  let state: Awaited<ReturnType<typeof previewedState>>;
  let children: number;
  beforeAll(async () => {
    state = await previewedState(program({}).run);
    children = state.deployment.resources.filter(isObject).length;
  });
  /** Returns the effect of an edit of the options, and of the component's name. */
  const edited = async (opts: object, name?: string) =>
    countsOf(await checkUpgrade({ state, program: program(opts, name) }));

  it("aliases of a renamed component keep all children", async () => {
    expect(await edited({ aliases: [{ name: "some" }] }, "renamed")).toEqual(nothing);
    expect((await edited({}, "renamed")).deleted).toBe(children);
  });

  it("transforms change every child", async () => {
    expect(await edited({ transforms: [label] })).toEqual({ ...nothing, updated: children });
  });

  it("ignoreChanges applies to every child", async () => {
    const opts = { transforms: [label], ignoreChanges: ["metadata.labels"] };
    expect(await edited(opts)).toEqual(nothing);
  });

  it("replaceOnChanges applies to every child", async () => {
    const opts = { transforms: [label], replaceOnChanges: ["metadata.labels"] };
    expect(await edited(opts)).toEqual({ ...nothing, replaced: children });
  });

  it.each(["provider", "providers"])(
    "%s, protect and retainOnDelete apply to every child",
    async (option) => {
      const seen = new Map<string, pulumi.CustomResourceOptions>();
      const record: pulumi.ResourceTransform = ({ custom, name, opts }) => {
        if (custom) seen.set(name, opts);
        return undefined;
      };
      const providers = new Map<string, string>();
      const run = async () => {
        const provider = new k8s.Provider("gpu", {});
        const given = { [option]: option === "provider" ? provider : [provider] };
        const options = { ...given, protect: true, retainOnDelete: true, transforms: [record] };
        await program(options).run();
      };
      const stack = openStack({
        project: "p",
        stack: "s",
        program: { run },
        state: memoryState(),
        offline: true,
        analyzer: {
          async analyze({ name, type, provider = "" }) {
            if (provider !== "" && !isProviderType(type)) providers.set(name, provider);
            return [];
          },
        },
      });
      expect((await stack.preview()).succeeded).toBe(true);
      expect(providers.size).toBeGreaterThan(0);
      for (const [name, provider] of providers) {
        if (type !== MultiClusterInferenceService)
          expect(provider, name).toContain("pulumi:providers:kubernetes::gpu::");
        expect(seen.get(name), name).toMatchObject({ protect: true, retainOnDelete: true });
      }
    },
  );
});
