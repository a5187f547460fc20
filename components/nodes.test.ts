import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it } from "vitest";
import { components, make } from "./every-component.fixture.ts";
import * as exported from "./index.ts";
import { resourcesIn } from "./resources-in.fixture.ts";

/** Registered resources, by logical name. */
let registered = new Map<
  string,
  { type: string; metadata: { annotations?: object } | undefined }
>();

/** Starts another program, in which all names are free. */
async function startProgram() {
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.set(name, { type, metadata: inputs.metadata });
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
}
beforeEach(startProgram);

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));
const childrenOf = (component: string) =>
  [...registered].flatMap(([name, { type }]) =>
    type.startsWith("kubernetes:") && name.startsWith(component) ? [name] : [],
  );

/** Returns a transform for every key of these nodes, which annotates the object with the key's path. */
const transformsFor = (nodes: object, path: readonly string[] = []): object =>
  Object.fromEntries(
    Object.entries(nodes).map(([purpose, node]) => {
      const own = [...path, purpose];
      const isPlace = Array.isArray(node) || pulumi.Resource.isInstance(node);
      return [
        purpose,
        isPlace
          ? { metadata: { annotations: { place: own.join(".") } } }
          : transformsFor(node as object, own),
      ];
    }),
  );

describe.each(components)("the children of $title", (component) => {
  it("each child is under one key of its nodes", async () => {
    const { nodes } = make(component, "some");
    const resources = resourcesIn(nodes);
    const urns = await Promise.all(resources.map(({ urn }) => known(urn)));
    const names = urns.map((urn) => urn.split("::").at(-1));
    expect(names.sort()).toEqual(childrenOf("some").sort());
    expect(names.length).toBeGreaterThan(0);
  });

  it("each child is changed by the transform of its key", async () => {
    const transform = transformsFor(make(component, "some").nodes);
    await startProgram();
    const { nodes } = make(component, "some", { transform });
    await Promise.all(resourcesIn(nodes).map(({ urn }) => known(urn)));
    const unchanged = childrenOf("some").filter(
      (name) => !Object.hasOwn(registered.get(name)?.metadata?.annotations ?? {}, "place"),
    );
    expect(unchanged).toEqual([]);
  });
});

it("every component is in the table, or consists only of components, definitions and packed objects", () => {
  const all = Object.values(exported).filter(
    (value): value is typeof value & { name: string; __pulumiType: string } =>
      typeof value === "function" && "__pulumiType" in value,
  );
  const tested = new Set(components.map(({ type }) => type.name));
  expect(
    all
      .map(({ name }) => name)
      .filter((name) => !tested.has(name))
      .sort(),
  ).toEqual(["InferenceCrds", "InferencePlatform", "MultiClusterInferenceService"]);
});
