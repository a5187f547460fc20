import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { planDocument } from "../../sdk/plan/document.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { folderOf, run as runCli } from "../sample.fixture.ts";
import { renderProgram } from "./render-program.ts";

/** Manifests of Pulumi programs, from previews without a cluster. */

const render = (program: () => void) =>
  renderProgram(
    {
      project: "p",
      stack: "dev",
      program: {
        run: async () => {
          program();
        },
      },
    } as never,
    { err: { write: () => {} } } as never,
  );

const named = (name: string, more: object = {}) => ({
  metadata: { name, namespace: "ns" },
  ...more,
});

it("the objects are in the order of creation, without what only Pulumi reads", async () => {
  const { manifests, omitted } = await render(() => {
    const namespace = new k8s.core.v1.Namespace("ns", { metadata: { name: "ns" } });
    new k8s.core.v1.ConfigMap("settings", {
      metadata: {
        name: "settings",
        namespace: namespace.metadata.name,
        annotations: { "pulumi.com/skipAwait": "true", team: "chat" },
      },
      data: { a: "1" },
    });
  });
  expect(manifests).toEqual([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "ns", annotations: { team: "chat" } },
      data: { a: "1" },
    },
  ]);
  expect(omitted.size).toBe(0);
});

it.each<readonly [string, () => void, string]>([
  [
    "a secret",
    () =>
      void new k8s.core.v1.Secret("s", named("token", { stringData: { a: pulumi.secret("b") } })),
    "Secret token: stringData is a secret, which manifests must not contain; create the Secret in the cluster and refer to it by its name",
  ],
  [
    "a random name",
    () => void new k8s.core.v1.ConfigMap("settings", { data: {} }),
    "has a random name that Pulumi generates; set metadata.name, so that every render has the same name",
  ],
  [
    "a value of the cluster",
    () => {
      const service = new k8s.core.v1.Service("s", named("s", { spec: { ports: [{ port: 80 }] } }));
      new k8s.core.v1.ConfigMap("c", named("c", { data: { uid: service.metadata.uid } }));
    },
    "ConfigMap c: data.uid is known only after a deployment; set a value that the program contains",
  ],
  [
    "two clusters",
    () => {
      for (const name of ["east", "west"]) {
        const provider = new k8s.Provider(name, { kubeconfig: "{}" });
        new k8s.core.v1.ConfigMap(name, named(name), { provider });
      }
    },
    "the objects have 2 Kubernetes providers (east, west), and manifests are for one cluster; render a program for each cluster",
  ],
])("a program with %s is refused with the reason", async (_, program, message) => {
  await expect(render(program)).rejects.toThrow(message);
});

it("an example's program has the same manifests as its YAML document", async () => {
  const example = join(repositoryRoot, "examples/multi-node");
  const { code, out, err } = await runCli(["render", example]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const document = parse(readFileSync(join(example, "service.yaml"), "utf8"));
  const byName = (manifests: readonly Manifest[]) =>
    Object.fromEntries(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
  const rendered = parseAllDocuments(out).map((each) => each.toJS() as Manifest);
  expect(byName(rendered)).toEqual(byName(planDocument(document)?.manifests ?? []));
}, 60_000);

it("a folder gets a kustomization with the files in the order of applying", async () => {
  const folder = mkdtempSync(join(tmpdir(), "render-"));
  try {
    const example = join(repositoryRoot, "examples/multi-node/service.yaml");
    const { code } = await runCli(["render", "-f", example, "-o", folder, "--kustomization"]);
    expect(code).toBe(0);
    const { resources } = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8"));
    const files = readdirSync(folder).filter((name) => /^\d/.test(name));
    expect(resources).toEqual(files.sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("a kustomization without a folder is refused", async () => {
  const { code, err } = await runCli(["render", "-f", "-", "--kustomization"]);
  expect(code).toBe(2);
  expect(err).toContain("--kustomization writes a file; add -o FOLDER");
});

it("a program that exits with 0 before its end is refused, because resources may be missing", async () => {
  using folder = folderOf({
    "Pulumi.yaml":
      "name: p\nmain: index.js\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "index.js": "process.reallyExit(0);\n",
  });
  const { code, out, err } = await runCli(["render", folder.path]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("the program ended with exit code 0 before its end");
});
