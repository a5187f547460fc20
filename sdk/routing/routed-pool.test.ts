import { describe, expect, it } from "vitest";
import { rewrite, routedPool } from "./objects.fixture.ts";
import { isAbout, poolAnnotations } from "./routed-pool.ts";

const poolRef = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" };

it.each([
  [{}, true],
  [{ namespace: "other" }, false],
  [{ poolRef: { ...poolRef, name: "other" } }, false],
  [{ poolRef: { ...poolRef, kind: "Service" } }, false],
  [{ poolRef: { ...poolRef, group: "other" } }, false],
])("an object with %j refers to the pool: %s", (change, expected) => {
  expect(isAbout(rewrite("r", [], change), routedPool())).toBe(expected);
});

describe("annotations of a pool", () => {
  const registration = "pulumi-inference/registration";
  it.each([
    [{}, false],
    [{ [registration]: "required" }, true],
    [{ [registration]: "optional" }, false],
  ])("annotations %j require registration: %s", (annotations, expected) => {
    expect(poolAnnotations(annotations).registrationRequired).toBe(expected);
  });

  it.each([
    ["", []],
    ["team-a", ["team-a"]],
    [" team-a, team-b ,,team-a", ["team-a", "team-b"]],
    ["../kube-system,team-a,UPPER,*", ["team-a"]],
  ])("annotation %j admits the namespaces %j", (text, expected) => {
    expect(
      poolAnnotations({ "pulumi-inference/allowed-namespaces": text }).allowedNamespaces,
    ).toEqual(expected);
  });
});
