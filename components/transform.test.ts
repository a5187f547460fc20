import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { type ChildDraft, transformed } from "./transform.ts";

const image = pulumi.output("epp:1");
const draft = (): ChildDraft => ({
  name: "a-deployment-epp",
  manifest: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a-epp", namespace: "default", labels: { app: "a-epp" } },
    spec: { replicas: 1, template: { spec: { containers: [{ name: "epp", image }] } } },
  },
  opts: { protect: true },
});

describe("transformed", () => {
  it("returns the draft itself where its kind has no transform", () => {
    const child = draft();
    expect(transformed(child, "Deployment", { service: { spec: {} } })).toBe(child);
  });

  it("merges an object as a merge patch: objects merge, null removes, the rest replaces", () => {
    const child = draft();
    const { manifest } = transformed(child, "Deployment", {
      deployment: {
        metadata: { labels: { team: "ml" }, annotations: { a: "b" } },
        spec: {
          replicas: null,
          template: { spec: { containers: [], nodeSelector: { gpu: "no" } } },
        },
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

  it("lets a function change a copy of object and options in place", () => {
    const child = draft();
    const result = transformed(child, "Deployment", {
      deployment: (args, opts, name) => {
        if (args.spec) args.spec.replicas = 3;
        if (args.spec?.template?.spec?.containers[0])
          args.spec.template.spec.containers[0].args = [name];
        opts.ignoreChanges = ["spec.replicas"];
      },
    });
    expect(result.manifest.spec).toEqual({
      replicas: 3,
      template: { spec: { containers: [{ name: "epp", image, args: ["a-deployment-epp"] }] } },
    });
    expect(result.opts).toEqual({ protect: true, ignoreChanges: ["spec.replicas"] });
    expect(child).toEqual(draft());
  });

  it("keeps Outputs by reference", () => {
    const { manifest } = transformed(draft(), "Deployment", { deployment: () => {} });
    const { spec } = manifest as unknown as {
      spec: { template: { spec: { containers: Array<{ image: unknown }> } } };
    };
    expect(spec.template.spec.containers[0]?.image).toBe(image);
  });

  it.each(["name", "namespace"] as const)("refuses to change metadata.%s", (field) => {
    expect(() =>
      transformed(draft(), "Deployment", { deployment: { metadata: { [field]: "other" } } }),
    ).toThrow(
      `transform.deployment: changes metadata.${field} of Deployment "a-epp" from "${field === "name" ? "a-epp" : "default"}" to "other"`,
    );
  });
});
