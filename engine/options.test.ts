import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { mergePatchType } from "../kubernetes/api/patch-types.ts";
import { usePlace } from "./fixtures/test-stack.ts";
import { isUnchanged, type OperationResult } from "./index.ts";

const place = usePlace();

const metadata = (name: string) => ({ name, namespace: place.namespace });

/** Returns a ServiceAccount: an object in which every field may change in place. */
const account = (name: string, note: pulumi.Input<string>, opts?: pulumi.CustomResourceOptions) =>
  new k8s.core.v1.ServiceAccount(
    name,
    { metadata: { ...metadata(name), annotations: { note } } },
    opts,
  );

const succeeded = (result: OperationResult) => {
  expect(result.diagnostics).toEqual([]);
  return result;
};

class RandomId extends pulumi.CustomResource {}

const operations = ({ steps }: OperationResult) =>
  Object.fromEntries(steps.map(({ name, operation }) => [name, operation]));

describe("replacement", () => {
  test("an object with a fixed name is deleted first, and one with a generated name last", async () => {
    let data = { v: "1" };
    const stack = place.stack(async () => {
      new k8s.core.v1.ConfigMap("fixed", { metadata: metadata("fixed"), data });
      const made = new k8s.core.v1.ConfigMap("made", {
        metadata: { namespace: place.namespace },
        data,
      });
      account("user", made.metadata.name);
      return { name: made.metadata.name };
    });
    const first = succeeded(await stack.up()).outputs.name?.value;
    place.writes();
    data = { v: "2" };
    const preview = succeeded(await stack.preview());
    expect(operations(preview)).toMatchObject({
      fixed: "replace",
      made: "replace",
      user: "update",
    });
    const up = succeeded(await stack.up());
    expect(operations(up)).toEqual(operations(preview));
    const writes = place.writes();
    expect(writes.filter((write) => !write.includes("serviceaccounts")).sort()).toEqual([
      "create configmaps",
      "create configmaps",
      "delete configmaps/fixed",
      `delete configmaps/${first}`,
    ]);
    // The object with a generated name is deleted only after its user no longer refers to it.
    expect(writes.at(-1)).toBe(`delete configmaps/${first}`);
    expect(writes.indexOf("delete configmaps/fixed")).toBeLessThan(
      writes.lastIndexOf("create configmaps"),
    );
    expect(up.outputs.name?.value).not.toBe(first);
  });

  test("replaceOnChanges and deleteBeforeReplace apply if the provider does not decide", async () => {
    let note = "1";
    const stack = place.stack(async () => {
      account("a", note, {
        replaceOnChanges: ["metadata.annotations.note"],
        deleteBeforeReplace: true,
      });
      new k8s.core.v1.ConfigMap(
        "m",
        { metadata: { namespace: place.namespace }, data: { note } },
        { deleteBeforeReplace: true },
      );
    });
    succeeded(await stack.up());
    const before = await place.get("/api/v1/namespaces/NS/serviceaccounts/a");
    note = "2";
    place.writes();
    const up = succeeded(await stack.up());
    expect(operations(up)).toMatchObject({ a: "replace", m: "replace" });
    expect(up.steps.find(({ name }) => name === "a")?.replacePaths).toEqual([
      "metadata.annotations.note",
    ]);
    const maps = place.writes().filter((write) => write.includes("configmaps"));
    expect(maps.map((write) => write.split(" ")[0])).toEqual(["delete", "create"]);
    expect((await place.get("/api/v1/namespaces/NS/serviceaccounts/a"))?.metadata.uid).not.toBe(
      before?.metadata.uid,
    );
  });

  test("dependents that a replacement would replace are deleted before it", async () => {
    let version = "1";
    const stack = place.stack(async () => {
      const base = new k8s.core.v1.ConfigMap("base", {
        metadata: metadata("base"),
        data: { version },
      });
      new k8s.core.v1.ConfigMap("bound", {
        metadata: metadata("bound"),
        data: { base: base.metadata.uid },
      });
      new k8s.rbac.v1.Role("loose", {
        metadata: metadata("loose"),
        rules: [
          {
            apiGroups: [""],
            resources: ["configmaps"],
            resourceNames: [base.metadata.uid],
            verbs: ["get"],
          },
        ],
      });
    });
    succeeded(await stack.up());
    place.writes();
    version = "2";
    const up = succeeded(await stack.up());
    expect(operations(up)).toMatchObject({ base: "replace", bound: "replace", loose: "update" });
    expect(place.writes().filter((write) => write.includes("configmaps"))).toEqual([
      "delete configmaps/bound",
      "delete configmaps/base",
      "create configmaps",
      "create configmaps",
    ]);
  });

  test("a changed replacementTrigger replaces the resource", async () => {
    let trigger = 1;
    const stack = place.stack(
      async () => void account("a", "same", { replacementTrigger: trigger }),
    );
    succeeded(await stack.up());
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    trigger = 2;
    expect(operations(succeeded(await stack.preview()))).toMatchObject({ a: "replace" });
  });
});

describe("ignoreChanges", () => {
  test("keeps the values of another manager, even if other fields change", async () => {
    let revision = "1";
    const stack = place.stack(
      async () =>
        void new k8s.apps.v1.Deployment(
          "app",
          {
            metadata: {
              ...metadata("app"),
              labels: { revision },
              annotations: { "pulumi.com/skipAwait": "true" },
            },
            spec: {
              replicas: 1,
              selector: { matchLabels: { app: "a" } },
              template: {
                metadata: { labels: { app: "a" } },
                spec: { containers: [{ name: "c", image: "i" }] },
              },
            },
          },
          { ignoreChanges: ["spec.replicas"] },
        ),
    );
    succeeded(await stack.up());
    const path = `/apis/apps/v1/namespaces/${place.namespace}/deployments/app`;
    await place.cluster.request(
      "PATCH",
      `${path}/scale?fieldManager=autoscaler`,
      { spec: { replicas: 5 } },
      mergePatchType,
    );
    revision = "2";
    expect(operations(succeeded(await stack.up()))).toMatchObject({ app: "update" });
    const live = await place.get(path);
    expect(live?.spec?.replicas).toBe(5);
    const owners = live?.metadata.managedFields?.filter(({ fieldsV1 }) =>
      JSON.stringify(fieldsV1).includes('"f:replicas"'),
    );
    expect(owners?.map(({ manager }) => manager)).toEqual(["autoscaler"]);
    succeeded(await stack.refresh());
    expect(isUnchanged(succeeded(await stack.up()))).toBe(true);
    expect((await place.get(path))?.spec?.replicas).toBe(5);
  });
});

describe("aliases", () => {
  class Group extends pulumi.ComponentResource {
    constructor(type: string, name: string, opts?: pulumi.ComponentResourceOptions) {
      super(type, name, {}, opts);
      new k8s.core.v1.ConfigMap(
        `${name}-map`,
        { metadata: { namespace: place.namespace }, data: {} },
        { parent: this },
      );
    }
  }

  test("a component with a new name and type keeps its children", async () => {
    let program = async () => void new Group("test:index:Old", "before");
    const stack = place.stack(async () => program());
    succeeded(await stack.up());
    place.writes();
    program = async () =>
      void new Group("test:index:New", "after", {
        aliases: [{ type: "test:index:Old", name: "before" }],
      });
    const preview = succeeded(await stack.preview());
    expect(preview.summary).toEqual({ same: 3 });
    const up = succeeded(await stack.up());
    expect(up.steps.map(({ urn, formerUrn }) => [urn, formerUrn]).slice(1)).toEqual([
      [
        "urn:pulumi:dev::proj::test:index:New::after",
        "urn:pulumi:dev::proj::test:index:Old::before",
      ],
      [
        "urn:pulumi:dev::proj::test:index:New$kubernetes:core/v1:ConfigMap::after-map",
        "urn:pulumi:dev::proj::test:index:Old$kubernetes:core/v1:ConfigMap::before-map",
      ],
    ]);
    expect(succeeded(await stack.up()).summary).toEqual({ same: 3 });
    // The alias is no longer needed after an up with it.
    program = async () => void new Group("test:index:New", "after");
    expect(succeeded(await stack.up()).summary).toEqual({ same: 3 });
    expect(place.writes()).toEqual([]);
  });

  test("a rename without an alias replaces the component and its children", async () => {
    let name = "before";
    const stack = place.stack(async () => void new Group("test:index:Group", name));
    succeeded(await stack.up());
    name = "after";
    expect(succeeded(await stack.preview()).summary).toEqual({ same: 1, create: 2, delete: 2 });
  });

  test("two resources cannot continue the same one", async () => {
    let program = async () => void account("a", "1");
    const stack = place.stack(async () => program());
    succeeded(await stack.up());
    program = async () => {
      account("b", "1", { aliases: [{ name: "a" }] });
      account("c", "1", { aliases: [{ name: "a" }] });
    };
    const up = await stack.preview();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics[0]?.message).toMatch(
      /has .*::a as an alias, but .* is registered as that resource/,
    );
  });
});

describe("deletion", () => {
  test("protect, also if inherited, prevents the deletion of the resource and of all others", async () => {
    let program = async () => {
      const group = new pulumi.ComponentResource(
        "test:index:Group",
        "group",
        {},
        { protect: true },
      );
      account("kept", "1", { parent: group });
      account("other", "1");
    };
    const stack = place.stack(async () => program());
    succeeded(await stack.up());
    place.writes();
    program = async () => {};
    const up = await stack.up();
    expect(up.diagnostics.map(({ urn }) => urn?.split("::").at(-1))).toEqual(["group", "kept"]);
    expect(up.diagnostics[1]?.message).toContain("is protected and cannot be deleted");
    expect((await stack.destroy()).succeeded).toBe(false);
    expect(place.writes()).toEqual([]);
  });

  test("protect prevents the replacement of a resource", async () => {
    let name = "first";
    const stack = place.stack(
      async () =>
        void new k8s.core.v1.ConfigMap(
          "kept",
          { metadata: { name, namespace: place.namespace } },
          { protect: true },
        ),
    );
    succeeded(await stack.up());
    place.writes();
    name = "second";
    const up = await stack.up();
    expect(up.diagnostics.map(({ message }) => message).join()).toContain(
      "is protected and cannot be replaced",
    );
    expect(place.writes()).toEqual([]);
  });

  test("retainOnDelete and deletedWith, also if inherited, remove resources only from the state", async () => {
    const stack = place.stack(async () => {
      const whole = account("whole", "1");
      const retained = new pulumi.ComponentResource(
        "test:index:Group",
        "retained",
        {},
        { retainOnDelete: true },
      );
      account("retained", "1", { parent: retained });
      const part = new pulumi.ComponentResource(
        "test:index:Group",
        "part",
        {},
        { deletedWith: whole },
      );
      account("part", "1", { parent: part });
    });
    succeeded(await stack.up());
    place.writes();
    succeeded(await stack.destroy());
    expect(place.writes()).toEqual(["delete serviceaccounts/whole"]);
    expect((await stack.export()).deployment.resources).toEqual([]);
  });
});

describe("transforms", () => {
  test("transforms run from the inside out, and may change options", async () => {
    const seen: string[] = [];
    const note =
      (name: string): pulumi.ResourceTransform =>
      ({ type, props, opts }) => {
        if (type !== "kubernetes:core/v1:ServiceAccount") return undefined;
        seen.push(name);
        const annotations = { ...props.metadata.annotations, [name]: "seen" };
        return {
          props: { ...props, metadata: { ...props.metadata, annotations } },
          opts: pulumi.mergeOptions(opts, { retainOnDelete: true }),
        };
      };
    const stack = place.stack(async () => {
      pulumi.runtime.registerResourceTransform(note("stack"));
      const outer = new pulumi.ComponentResource(
        "test:index:Group",
        "outer",
        {},
        { transforms: [note("outer")] },
      );
      const inner = new pulumi.ComponentResource(
        "test:index:Group",
        "inner",
        {},
        { parent: outer, transforms: [note("inner")] },
      );
      account("a", "1", { parent: inner, transforms: [note("own")] });
    });
    succeeded(await stack.up());
    expect(seen).toEqual(["own", "inner", "outer", "stack"]);
    const live = await place.get("/api/v1/namespaces/NS/serviceaccounts/a");
    expect(Object.keys(live?.metadata.annotations ?? {})).toEqual([
      "inner",
      "note",
      "outer",
      "own",
      "stack",
    ]);
    succeeded(await stack.destroy());
    expect(await place.get("/api/v1/namespaces/NS/serviceaccounts/a")).toBeDefined();
  });
});

describe("reading", () => {
  test("a resource that is managed elsewhere is read, but not managed", async () => {
    const path = `/api/v1/namespaces/${place.namespace}/configmaps`;
    await place.cluster.request("POST", path, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "theirs" },
      data: { key: "value" },
    });
    const stack = place.stack(async () => {
      const theirs = k8s.core.v1.ConfigMap.get("theirs", `${place.namespace}/theirs`);
      return { value: theirs.data.apply((data) => data.key) };
    });
    expect(succeeded(await stack.up()).outputs.value?.value).toBe("value");
    succeeded(await stack.destroy());
    expect(await place.get(`${path}/theirs`)).toBeDefined();
    const missing = place.stack(
      async () => void k8s.core.v1.ConfigMap.get("no", `${place.namespace}/no`),
    );
    expect((await missing.up()).diagnostics[0]?.message).toContain("does not exist");
  });

  test("a stack reference reads another stack's outputs, with secrets marked", async () => {
    const source = place.stack(async () => ({ plain: 1, hidden: pulumi.secret("s") }), {
      stack: "source",
    });
    succeeded(await source.up());
    const stack = place.stack(async () => {
      const reference = new pulumi.StackReference("organization/proj/source");
      return { plain: reference.getOutput("plain"), hidden: reference.getOutput("hidden") };
    });
    expect(succeeded(await stack.up()).outputs).toEqual({
      plain: { value: 1, secret: false },
      hidden: { value: "s", secret: true },
    });
    const missing = place.stack(
      async () => void new pulumi.StackReference("organization/proj/none"),
    );
    expect((await missing.up()).diagnostics[0]?.message).toContain("there is no such stack");
  });
});

describe("unsupported features are refused", () => {
  test.each([
    [
      "remote components",
      () => void new k8s.yaml.v2.ConfigGroup("g", { objs: [] }),
      /is a remote component.*kubernetes\.yaml \(without v2\)/,
    ],
    ["import", () => void account("a", "1", { import: "x/y" }), /does not support import/],
    [
      "Helm releases",
      () => void new k8s.helm.v3.Release("r", { chart: "c" }),
      /needs the provider's plugin/,
    ],
    [
      "other packages",
      () => void new RandomId("random:index/randomId:RandomId", "r", {}),
      /package "random" is not supported/,
    ],
    [
      "rendering",
      () => void new k8s.Provider("p", { renderYamlToDirectory: "x" }),
      /renderYamlToDirectory: is not supported; use pulumi-inference render/,
    ],
    [
      "hooks of deletions",
      () => {
        const hook = new pulumi.ResourceHook("h", async () => {});
        account("a", "1", { hooks: { beforeDelete: [hook] } });
      },
      /does not support hooks of deletions/,
    ],
  ])("%s", async (_, program, message) => {
    const up = await place.stack(async () => program()).up();
    expect(up.succeeded).toBe(false);
    expect(up.diagnostics.map((diagnostic) => diagnostic.message).join("\n")).toMatch(message);
    expect(place.writes()).toEqual([]);
  });
});
