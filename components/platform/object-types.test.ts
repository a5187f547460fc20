import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { InferencePlatform } from "./inference-platform.ts";

it("every object has a type with a group and a version, without which the provider refuses it", async () => {
  const types = new Set<string>();
  await pulumi.runtime.setMocks({
    newResource({ type, name, inputs }) {
      types.add(type);
      return { id: name, state: inputs };
    },
    call: () => ({}),
  });
  const { nodes } = new InferencePlatform("platform");
  const urns = Object.values(nodes).flatMap((each) => each.map(({ urn }) => urn));
  await new Promise((resolve) => pulumi.all(urns).apply(resolve));
  const objects = [...types].filter((type) => type.startsWith("kubernetes:"));
  expect(objects).toContain("kubernetes:core/v1:Namespace");
  expect(objects.filter((type) => !/^kubernetes:[\w.]+\/\w+:\w+$/.test(type))).toEqual([]);
});
