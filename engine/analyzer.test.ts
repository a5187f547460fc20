import * as k8s from "@pulumi/kubernetes";
import { expect, test } from "vitest";
import { usePlace } from "./fixtures/test-stack.ts";
import type { AnalyzedResource, Analyzer } from "./index.ts";

const place = usePlace();

const program = async () => {
  const { namespace } = place;
  new k8s.core.v1.ConfigMap("a", { metadata: { name: "a", namespace }, data: { size: "10" } });
};

test("policies remediate and then check each resource before its step, and check the stack at the end", async () => {
  const asked: string[] = [];
  const analyzer: Analyzer = {
    async remediate({ type, properties }) {
      if (type !== "kubernetes:core/v1:ConfigMap") return undefined;
      return { ...properties, data: { size: "5" } };
    },
    async analyze({ name, properties }) {
      if (name === "a") asked.push(`analyze ${JSON.stringify(properties.data)}`);
      return [];
    },
    async analyzeStack(resources: AnalyzedResource[]) {
      asked.push(`stack ${resources.map(({ name }) => name).join(" ")}`);
      return [{ severity: "warning", message: "mind the size" }];
    },
  };
  const stack = place.stack(program, { analyzer });
  const up = await stack.up();
  expect(asked).toEqual(['analyze {"size":"5"}', "stack proj-dev default_4_34_2 a"]);
  expect(up.diagnostics).toEqual([{ severity: "warning", message: "mind the size" }]);
  expect((await place.get("/api/v1/namespaces/NS/configmaps/a"))?.data).toEqual({ size: "5" });
});

test("a violation fails its resource, in previews too", async () => {
  const analyzer: Analyzer = {
    analyze: async ({ name, urn }) =>
      name === "a" ? [{ severity: "error", message: "too large", urn }] : [],
  };
  const stack = place.stack(program, { analyzer });
  for (const operation of [stack.preview, stack.up]) {
    const { succeeded, diagnostics } = await operation();
    expect(succeeded).toBe(false);
    expect(diagnostics.map(({ message }) => message)).toEqual(["too large"]);
  }
  expect(place.writes()).toEqual([]);
});

test("a violation of the stack fails the operation", async () => {
  const analyzer: Analyzer = {
    analyzeStack: async () => [{ severity: "error", message: "too many" }],
  };
  const up = await place.stack(program, { analyzer }).up();
  expect(up.succeeded).toBe(false);
  expect(up.diagnostics.map(({ message }) => message)).toEqual(["too many"]);
});
