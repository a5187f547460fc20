import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValidationRule } from "../kubernetes/kinds/validation-rules.ts";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { isMap } from "../kubernetes/values/records.ts";
import { objectSchemas } from "../sdk/schemas/object-schemas.ts";
import { schemaProblems } from "../sdk/schemas/schema-problems.ts";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { crdGroups, installCrds } from "../testing/api/install-crds.ts";
import { upstreamCrds } from "../testing/api/upstream-crds.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { collectionPath } from "../testing/object-path.ts";
import { seeded } from "../testing/samples/seeded.ts";
import { validObjects } from "./schema-agreement.fixture.ts";

/** The problems that we find by schema, compared with the verdict of a real API server on the same object. */

const crdGroupsOfObjects = [
  ...crdGroups,
  ...(["inference.networking.x-k8s.io", "keda.sh", "monitoring.coreos.com"] as const),
];

let cluster: AttachedCluster;
let namespace: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  const groups = crdGroupsOfObjects;
  await installCrds(cluster, { groups });
  addRules(await upstreamCrds(groups));
  namespace = await freshNamespace(cluster, "schemas");
}, 120_000);
afterAll(() => cluster?.detach());

const refusal = (object: Manifest): Promise<string | undefined> => {
  const manifest = { ...object, metadata: { ...object.metadata, namespace } };
  const path = `${collectionPath(manifest)}?dryRun=All&fieldValidation=Strict`;
  return cluster.request("POST", path, manifest).then(
    () => undefined,
    ({ message }: Error) => message,
  );
};

const schemaOf = ({ apiVersion, kind }: Manifest) => {
  const name = `${apiVersion.includes("/") ? "" : "/"}${apiVersion}/${kind}`;
  const found = objectSchemas().kinds[name];
  if (found === undefined) throw new Error(`no schema of ${name}`);
  return found;
};

const found = (object: Manifest) => [
  ...schemaProblems({ ...object }, schemaOf(object), () => false),
];

type Place = ReadonlyArray<string | number>;

function* places(value: unknown, path: Place = []): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    yield at;
    yield* places(item, at);
  }
}

function withValue(object: Manifest, path: Place, value: unknown): Manifest {
  const copy = structuredClone(object);
  let holder = copy as unknown as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  const last = path.at(-1) as string;
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

const valueAt = (object: unknown, path: Place): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], object);

const values = [
  ...[800_000, -1, 0, 1.5, 2 ** 31, 2 ** 40, "", "x", "http://x", "HTPP", "a b", "x".repeat(5_000)],
  ...[true, null, undefined, {}, [], { nothing: 1 }, ["a", "a"], "1", "50%", "10Gi"],
];

interface Change {
  readonly path: Place;
  readonly changed: Manifest;
  readonly text: string;
}

/** An object with one change at a random place. */
function mutated(object: Manifest, random: () => number): Change {
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const path = pick(
    [...places(object)].filter(([root]) => root !== "apiVersion" && root !== "kind"),
  );
  const present = valueAt(object, path);
  const change = (value: unknown, at = path): Change => ({
    path,
    changed: withValue(object, at, value),
    text: `${at.join(".")} = ${JSON.stringify(value)?.slice(0, 100)}`,
  });
  const sort = random();
  if (isMap(present) && sort < 0.3) return change(1, [...path, "nothing"]);
  if (Array.isArray(present) && sort < 0.6)
    return change(Array(pick([2, 20, 200])).fill(present[0]));
  return change(pick(values));
}

/** Messages of CEL rules and of code, which the packed schemas do not contain. */
const rules = new Set<string>();

function addRules(schema: unknown): void {
  if (Array.isArray(schema)) for (const each of schema) addRules(each);
  if (!isMap(schema)) return;
  for (const { message, rule } of (schema["x-kubernetes-validations"] ?? []) as ValidationRule[])
    rules.add(message ?? rule);
  for (const each of Object.values(schema)) addRules(each);
}

/** The API server refuses negative replicas of kinds that can be scaled. */
rules.add("should be a non-negative integer");

/** Returns whether a refusal is one by code of the API server, or by a CEL rule. */
const isBeyondSchemas = (message: string, { apiVersion }: Manifest, path: Place) =>
  path[0] === "metadata" ||
  !crdGroupsOfObjects.some((group) => apiVersion.startsWith(`${group}/`)) ||
  [...rules].some((rule) => message.includes(rule));

describe.each(validObjects.map((object) => [object.kind, object] as const))(
  "%s",
  (_kind, object) => {
    it("is valid for both", async () => {
      expect(await refusal(object)).toBeUndefined();
      expect(found(object)).toEqual([]);
    });

    it("is accepted or refused as by the API server after random changes", async () => {
      const random = seeded(61);
      const cases = Array.from({ length: 100 }, () => mutated(object, random));
      const verdicts = await Promise.all(
        cases.map(async ({ changed, path, text }) => {
          const message = await refusal(changed);
          const [problem] = found(changed);
          if (problem !== undefined && message === undefined)
            return `${text}: only we refuse: ${JSON.stringify(problem)}`;
          if (
            problem === undefined &&
            message !== undefined &&
            !isBeyondSchemas(message, object, path)
          )
            return `${text}: only the API server refuses: ${message}`;
          return [];
        }),
      );
      expect(verdicts.flat()).toEqual([]);
    });
  },
);
