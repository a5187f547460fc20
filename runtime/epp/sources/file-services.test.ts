import { expect, it } from "vitest";
import { objectsOf } from "./file-objects.ts";

const pool = `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata:
  name: pool
  annotations:
    pulumi-inference/registration: required
    pulumi-inference/allowed-namespaces: team
spec: { selector: { matchLabels: { app: m } }, targetPorts: [{ number: 8000 }] }
---
`;
const service = (name: string, spec: string) => `
apiVersion: inference.x-k8s.io/v1alpha1
kind: LLMService
metadata: { name: ${name}, namespace: team }
spec: ${spec}
---
`;

function read(text: string) {
  const problems: string[] = [];
  const objects = objectsOf(pool + text, undefined, undefined, (problem) => problems.push(problem));
  return { ...objects, problems };
}

it("a file source reads LLMServices and the pool's registration annotations", () => {
  const { pool, services, problems } = read(
    service("a", "{ models: [{ name: m }], poolRef: [{ name: pool, namespace: default }] }") +
      service("b", "{ LLMServices: [{ modelName: n }], poolRef: [{ name: pool }] }"),
  );
  expect(pool).toMatchObject({ registrationRequired: true, allowedNamespaces: ["team"] });
  expect(services).toMatchObject([
    {
      namespace: "team",
      name: "a",
      creationTimestamp: "",
      models: [{ name: "m" }],
      pools: [{ namespace: "default", name: "pool" }],
    },
    { name: "b", models: [{ name: "n" }], pools: [{ namespace: "team", name: "pool" }] },
  ]);
  expect(problems).toEqual([]);
});

it("the last of two services with one name wins", () => {
  const { services } = read(
    service("a", "{ models: [{ name: m }] }") + service("a", "{ models: [{ name: n }] }"),
  );
  expect(services).toMatchObject([{ models: [{ name: "n" }] }]);
});

it("an invalid service or model is left out and reported with its line", () => {
  const { services, pool, problems } = read(
    service("a", "{ models: [{ name: m }, { targetModels: [] }] }") +
      service("b", "{ models: m }") +
      service("c", "{ models: [{ name: o }] }"),
  );
  expect(pool?.name).toBe("pool");
  expect(services.map(({ name, models }) => [name, models.map((each) => each.name)])).toEqual([
    ["a", ["m"]],
    ["c", ["o"]],
  ]);
  expect(problems).toEqual([
    expect.stringMatching(/^line 12: LLMService team\/a: spec\.models\[1\]: give a name$/),
    expect.stringMatching(/^line 18: LLMService team\/b: spec\.models: /),
  ]);
});
