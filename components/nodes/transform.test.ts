import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type { ArgsOf } from "./child-kinds.ts";
import { one } from "./node-keys.ts";
import {
  assertKnownTransforms,
  type PlannedChild,
  type Transform,
  transformed,
} from "./transform.ts";

const image = pulumi.output("epp:1");
const draft = (): PlannedChild => ({
  name: "a-deployment-epp",
  manifest: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a-epp", namespace: "default", labels: { app: "a-epp" } },
    spec: { replicas: 1, template: { spec: { containers: [{ name: "epp", image }] } } },
  },
  opts: { protect: true },
});

const path = ["picker", "deployment"];
const changed = (child: PlannedChild, deployment: Transform<ArgsOf<"Deployment">>) =>
  transformed(child, path, { picker: { deployment } });

describe("transformed", () => {
  it("returns the child itself if its key has no transform", () => {
    const child = draft();
    expect(transformed(child, path, { picker: { service: { spec: {} } } })).toBe(child);
  });

  it("merges an object as a merge patch: objects are merged, null removes a field, other values replace it", () => {
    const child = draft();
    const { manifest } = changed(child, {
      metadata: { labels: { team: "ml" }, annotations: { a: "b" } },
      spec: {
        replicas: null,
        template: { spec: { containers: [], nodeSelector: { gpu: "no" } } },
      },
    });
    expect(manifest).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "a-epp",
        namespace: "default",
        labels: { app: "a-epp", team: "ml" },
        annotations: { a: "b" },
      },
      spec: { template: { spec: { containers: [], nodeSelector: { gpu: "no" } } } },
    });
    expect(child).toEqual(draft());
  });

  it("calls a function with copies of object and options to change in place", () => {
    const child = draft();
    const result = changed(child, (args, opts, name) => {
      if (args.spec) args.spec.replicas = 3;
      if (args.spec?.template?.spec?.containers[0])
        args.spec.template.spec.containers[0].args = [name];
      opts.ignoreChanges = ["spec.replicas"];
    });
    expect(result.manifest.spec).toEqual({
      replicas: 3,
      template: { spec: { containers: [{ name: "epp", image, args: ["a-deployment-epp"] }] } },
    });
    expect(result.opts).toEqual({ protect: true, ignoreChanges: ["spec.replicas"] });
    expect(child).toEqual(draft());
  });

  it("keeps Outputs by reference", () => {
    const { manifest } = changed(draft(), () => {});
    const { spec } = manifest as unknown as {
      spec: { template: { spec: { containers: Array<{ image: unknown }> } } };
    };
    expect(spec.template.spec.containers[0]?.image).toBe(image);
  });

  it.each(["name", "namespace"] as const)("refuses to change metadata.%s", (field) => {
    expect(() => changed(draft(), { metadata: { [field]: "other" } })).toThrow(
      `transform.picker.deployment: changes metadata.${field} of Deployment "a-epp" from "${field === "name" ? "a-epp" : "default"}" to "other"`,
    );
  });
});

describe("assertKnownTransforms", () => {
  const places = { pool: one("InferencePool"), picker: { deployment: one("Deployment") } };
  const check = (transforms: object) => () =>
    assertKnownTransforms('InferencePool "a"', places, transforms);

  it("accepts the keys of the component, single and in their groups", () => {
    expect(check({ pool: {}, picker: { deployment: { spec: {} } } })).not.toThrow();
  });

  it.each([
    ["picker.service", { picker: { service: {} } }],
    ["service", { service: {} }],
    ["picker", { picker: () => {} }],
  ])("refuses %s, and names the existing keys", (path, transforms) => {
    expect(check(transforms)).toThrow(
      `InferencePool "a": transform: has ${path}, which is not a child; allowed: picker.deployment, pool. Use the name of a child.`,
    );
  });
});
