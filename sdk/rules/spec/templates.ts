import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";

type Entry = Record<string, unknown>;

/** Lists of a container that the API server merges by a key, with the function that returns the key of an entry. */
const containerLists: Record<string, (entry: Entry) => unknown> = {
  env: ({ name }) => name,
  volumeMounts: ({ mountPath }) => mountPath,
  ports: ({ containerPort, protocol = "TCP" }) => `${String(containerPort)}/${String(protocol)}`,
};

const templateKeysAreUnique: Invariant<PartialSpec> = {
  id: "template-keys-are-unique",
  title: "Containers, variables, ports, mounts and volumes of a template are unique",
  why: "LeaderWorkerSet stores these lists by key, so the API server rejects duplicates that a plain pod could have.",
  source: "sigs.k8s.io/lws CRD: x-kubernetes-list-map-keys of the pod template",
  code: "name",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { spec } = role.template;
      const path = ["roles", index, "template", "spec"];
      yield* repeated(spec.volumes, [...path, "volumes"], ({ name }) => name);
      for (const field of ["containers", "initContainers"] as const) {
        yield* repeated(spec[field], [...path, field], ({ name }) => name);
        for (const [at, container] of (spec[field] ?? []).entries()) {
          for (const [list, key] of Object.entries(containerLists)) {
            yield* repeated(container[list], [...path, field, at, list], key);
          }
        }
      }
    }
  },
};

/** Finds entries with the key of an earlier entry. Lists and keys that are not yet known are skipped. */
function* repeated(
  list: unknown,
  path: Path,
  keyOf: (entry: Entry) => unknown,
): Generator<Finding> {
  if (!Array.isArray(list)) return;
  const first = new Map<string, number>();
  for (const [at, entry] of list.entries()) {
    const key = entry === null || typeof entry !== "object" ? undefined : keyOf(entry as Entry);
    if (typeof key !== "string") continue;
    const taken = first.get(key);
    if (taken === undefined) {
      first.set(key, at);
      continue;
    }
    yield {
      path: [...path, at],
      given: `is a duplicate of entry ${taken}, ${JSON.stringify(key)}`,
      allowed: "each key once",
      fix: "Remove one of the two entries.",
    };
  }
}

export const templateRules: ReadonlyArray<Invariant<PartialSpec>> = [templateKeysAreUnique];
