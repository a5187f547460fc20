import { describe, expect, it } from "vitest";
import { ownCrds } from "../../sdk/crds/own-kinds.ts";
import {
  factsOf,
  kindOf,
  type PlannedKind,
  plannedKinds,
} from "../../sdk/topology/planned-kinds.ts";
import { crdGroups } from "../../testing/api/install-crds.ts";
import { type Crd, upstreamCrds } from "../../testing/api/upstream-crds.ts";
import { groupOf } from "../values/manifest.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";
import { groupsReady } from "./leader-worker-set.ts";

const all = Object.keys(plannedKinds) as PlannedKind[];

describe("kinds", () => {
  it.each(all)("%s has its name as its key, and is found by its apiVersion", (kind) => {
    const facts = factsOf(kind);
    expect(facts.kind).toBe(kind);
    expect(kindOf({ apiVersion: facts.apiVersion, kind })).toBe(kind);
  });

  it.each([
    ["another version of a group", "gateway.networking.k8s.io/v1beta1", "HTTPRoute", "HTTPRoute"],
    [
      "a kind of the same name in another group",
      "scheduling.k8s.io/v1alpha2",
      "PodGroup",
      undefined,
    ],
    ["an unknown kind", "v1", "Pod", undefined],
    ["a name that every object inherits", "v1", "constructor", undefined],
  ])("looks up %s", (_, apiVersion, kind, expected) => {
    expect(kindOf({ apiVersion, kind })).toBe(expected);
  });

  it("expressions have the provider's syntax: a known prefix, and at most one `=` apart from `==`", () => {
    for (const kind of all) {
      const { readiness } = factsOf(kind);
      if (typeof readiness === "string") continue;
      const { waitFor } = readiness;
      expect(waitFor).toMatch(/^(condition=\w+|jsonpath=\{.+\}(=\w+)?)$/);
      const rest = waitFor.slice(waitFor.indexOf("=") + 1).replaceAll("==", "");
      expect(rest.split("=").length, waitFor).toBeLessThanOrEqual(2);
    }
  });

  it("groupsReady requires at least the minimum of ready groups", () => {
    expect(groupsReady(3)).toBe(
      "jsonpath={$[?@.readyReplicas > 2 && @.updatedReplicas == @.replicas]}",
    );
  });
});

const podFacts = {
  group: groups.core,
  version: "v1",
  kind: "Pod",
  plural: "pods",
  scope: "Namespaced",
} as const;

it("defineKind requires readiness, plural and scope", () => {
  defineKind({ ...podFacts, readiness: "exists" });
  // @ts-expect-error says when an object does its work
  defineKind({ ...podFacts });
  const { plural: _, ...unaddressed } = podFacts;
  // @ts-expect-error has no path
  defineKind({ ...unaddressed, readiness: "exists" });
  const { scope: __, ...unscoped } = podFacts;
  // @ts-expect-error has no scope
  defineKind({ ...unscoped, readiness: "exists" });
});

const definitions = [
  ...(await upstreamCrds([
    ...crdGroups,
    ...(["keda.sh", "monitoring.coreos.com", "gateway.envoyproxy.io"] as const),
    ...(["networking.istio.io", "security.istio.io"] as const),
  ])),
  ...ownCrds(),
] as Crd[];

/** Groups of Kubernetes itself, and of projects without a Go module that these tests read. */
const withoutCrd = [
  "rbac.authorization.k8s.io",
  "admissionregistration.k8s.io",
  "networking.k8s.io",
  "agentgateway.dev",
  "cert-manager.io",
  "networking.gke.io",
];

describe("kinds, against the upstream CRDs and our own", () => {
  it.each(all.filter((kind) => groupOf(factsOf(kind).apiVersion).includes(".")))(
    "%s has the scope, the plural, a served version and the immutable paths of its CRD",
    (kind) => {
      const facts = factsOf(kind);
      const group = groupOf(facts.apiVersion);
      const crd = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
      if (withoutCrd.includes(group)) return expect(crd).toBeUndefined();
      expect(crd?.spec.scope).toBe(facts.scope);
      expect(crd?.spec.names.plural).toBe(facts.plural);
      const version = crd?.spec.versions.find(
        ({ name, served }) => served && `${group}/${name}` === facts.apiVersion,
      );
      expect(version).toBeDefined();
      for (const path of facts.immutable) {
        let schema = version?.schema.openAPIV3Schema;
        for (const step of path.split(".")) schema = schema?.properties?.[step];
        expect(schema, path).toBeDefined();
      }
    },
  );
});
