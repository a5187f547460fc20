import { fileURLToPath } from "node:url";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import {
  type Analyzer,
  isUnknown,
  loadProject,
  type RecordedResource,
  type RecordOptions,
  recordProgram,
  secret,
} from "./index.ts";

const recorded = (run: () => unknown, options: Partial<RecordOptions> = {}) =>
  recordProgram({
    project: "proj",
    stack: "dev",
    program: { run: async () => run() },
    ...options,
  });

const map = (name: string, data = {}, opts?: pulumi.CustomResourceOptions) =>
  new k8s.core.v1.ConfigMap(name, { metadata: { name }, data }, opts);

const dataOf = (resources: readonly RecordedResource[], of: string) =>
  resources.find(({ name }) => name === of)?.properties.data as Record<string, unknown>;

const messages = ({ diagnostics }: Awaited<ReturnType<typeof recordProgram>>) =>
  diagnostics.map(({ severity, message }) => `${severity}: ${message}`);

describe("objects", () => {
  test("an object has its namespace, its name and the dependencies of each property", async () => {
    const { resources, outputs, diagnostics } = await recorded(() => {
      const first = map("first", { key: "1" });
      const provider = new k8s.Provider("west", { namespace: "games" });
      new k8s.core.v1.ConfigMap("made", { data: { of: first.metadata.name } }, { provider });
      new k8s.core.v1.Namespace("all", { metadata: { name: "all" } });
      return { uid: first.metadata.uid, name: first.metadata.name, token: pulumi.secret("t") };
    });
    expect(diagnostics).toEqual([]);
    const named = Object.fromEntries(resources.map((each) => [each.name, each]));
    expect(named.first?.properties.metadata).toEqual({ name: "first", namespace: "default" });
    expect(named.made?.properties.metadata).toMatchObject({
      namespace: "games",
      name: expect.stringMatching(/^made-[0-9a-f]{8}$/),
      annotations: { "pulumi.com/autonamed": "true" },
    });
    expect(named.made?.propertyDependencies.data).toEqual([named.first?.urn]);
    expect(named.made?.provider).toContain("pulumi:providers:kubernetes::west::");
    expect(named.all?.properties.metadata).toEqual({ name: "all" });
    expect(outputs).toEqual({
      uid: { value: undefined, secret: false },
      name: { value: "first", secret: false },
      token: { value: "t", secret: true },
    });
  });

  test("the namespace of a provider may be a secret or unknown", async () => {
    const { resources } = await recorded(() => {
      const of = (name: string, namespace: pulumi.Input<string>) =>
        new k8s.core.v1.ConfigMap(
          name,
          { metadata: { name } },
          { provider: new k8s.Provider(name, { namespace }) },
        );
      of("hidden", pulumi.secret("games"));
      of("later", pulumi.output(pulumi.unknown as unknown as string));
    });
    const namespaces = resources
      .filter(({ type }) => type === "kubernetes:core/v1:ConfigMap")
      .map(({ properties }) => (properties.metadata as { namespace: unknown }).namespace);
    expect(namespaces[0]).toBe("games");
    expect(isUnknown(namespaces[1])).toBe(true);
  });

  test("values of a cluster and of other stacks are unknown", async () => {
    const { resources, outputs, diagnostics } = await recorded(() => {
      const other = new pulumi.StackReference("organization/nowhere/dev");
      const read = k8s.core.v1.ConfigMap.get("read", "default/there");
      map("made", { key: other.requireOutput("key"), of: read.data.apply(({ of }) => `${of}`) });
      return { host: other.getOutput("host") };
    });
    expect(diagnostics).toEqual([]);
    expect(Object.values(dataOf(resources, "made")).map(isUnknown)).toEqual([true, true]);
    expect(outputs.host?.value).toBeUndefined();
  });

  test("the outputs of another stack are those in `references`, with secrets marked", async () => {
    const { outputs } = await recorded(
      () => {
        const other = new pulumi.StackReference("organization/proj/source");
        return { plain: other.getOutput("plain"), hidden: other.getOutput("hidden") };
      },
      { references: { "organization/proj/source": { plain: 1, hidden: secret("s") } } },
    );
    expect(outputs).toEqual({
      plain: { value: 1, secret: false },
      hidden: { value: "s", secret: true },
    });
  });

  test("resources of other packages are recorded, and what their provider computes is unknown", async () => {
    class RandomId extends pulumi.CustomResource {
      declare readonly hex: pulumi.Output<string>;
      constructor(name: string, opts?: pulumi.CustomResourceOptions) {
        super("random:index/randomId:RandomId", name, { byteLength: 4, hex: undefined }, opts);
      }
    }
    const { resources, diagnostics } = await recorded(() => {
      map("made", { id: new RandomId("id").hex });
    });
    expect(diagnostics).toEqual([]);
    expect(resources.map(({ type, name }) => `${type} ${name}`)).toContain(
      "random:index/randomId:RandomId id",
    );
    expect(isUnknown(dataOf(resources, "made").id)).toBe(true);
  });

  test("transforms run from the inside out, and change the recorded inputs", async () => {
    const seen: string[] = [];
    const note =
      (name: string): pulumi.ResourceTransform =>
      ({ type, props, opts }) => {
        if (type !== "kubernetes:core/v1:ConfigMap") return undefined;
        seen.push(name);
        return { props: { ...props, data: { ...props.data, [name]: "seen" } }, opts };
      };
    class Group extends pulumi.ComponentResource {
      constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("test:index:Group", name, {}, opts);
      }
    }
    const { resources } = await recorded(() => {
      pulumi.runtime.registerResourceTransform(note("stack"));
      const outer = new Group("outer", { transforms: [note("outer")] });
      const inner = new Group("inner", { parent: outer, transforms: [note("inner")] });
      map("a", {}, { parent: inner, transforms: [note("own")] });
    });
    expect(seen).toEqual(["own", "inner", "outer", "stack"]);
    expect(Object.keys(resources.at(-1)?.properties.data as object).sort()).toEqual(
      [...seen].sort(),
    );
  });

  test("two resources of one URN are refused", async () => {
    const recording = await recorded(() => {
      map("a");
      map("a");
    });
    expect(recording.succeeded).toBe(false);
    expect(messages(recording).join()).toContain("Duplicate resource URN");
  });
});

describe("hooks", () => {
  test("only hooks that ask for it run, and a hook that fails refuses its resource", async () => {
    const calls: string[] = [];
    const hook = (name: string, opts: pulumi.ResourceHookOptions = {}, fails = false) =>
      new pulumi.ResourceHook(
        name,
        async ({ newInputs }) => {
          calls.push(`${name} ${(newInputs as { data: { note: string } }).data.note}`);
          if (fails) throw new Error("the hook refuses");
        },
        opts,
      );
    const recording = await recorded(() => {
      const dry = { onDryRun: true };
      map("a", { note: "1" }, { hooks: { beforeCreate: [hook("quiet"), hook("dry", dry)] } });
      map("b", { note: "2" }, { hooks: { afterDelete: [hook("deleted", dry)] } });
      map("c", { note: "3" }, { hooks: { beforeCreate: [hook("strict", dry, true)] } });
      const lenient = hook("lenient", { ...dry, ignoreErrors: true }, true);
      map("d", { note: "4" }, { hooks: { beforeCreate: [lenient] } });
    });
    expect(calls.sort()).toEqual(["dry 1", "lenient 4", "strict 3"]);
    expect(messages(recording).sort()).toEqual([
      "error: the hook refuses",
      "warning: the hook refuses",
    ]);
    expect(recording.resources.map(({ name }) => name).sort()).toEqual([
      "a",
      "b",
      "d",
      "default_4_34_2",
      "proj-dev",
    ]);
  });
});

describe("policies", () => {
  test("policies remediate and then check each resource, and check the stack at the end", async () => {
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
      async analyzeStack(resources) {
        asked.push(`stack ${resources.map(({ name }) => name).join(" ")}`);
        return [{ severity: "warning", message: "mind the size" }];
      },
    };
    const recording = await recorded(() => map("a", { size: "10" }), { analyzer });
    expect(asked).toEqual(['analyze {"size":"5"}', "stack proj-dev default_4_34_2 a"]);
    expect(messages(recording)).toEqual(["warning: mind the size"]);
    expect(recording.resources.at(-1)?.properties.data).toEqual({ size: "5" });
  });

  test.each<[string, Analyzer]>([
    [
      "a resource",
      {
        analyze: async ({ name, urn }) =>
          name === "a" ? [{ severity: "error", message: "too large", urn }] : [],
      },
    ],
    ["the stack", { analyzeStack: async () => [{ severity: "error", message: "too large" }] }],
  ])("a violation of %s fails the recording", async (_, analyzer) => {
    const recording = await recorded(() => map("a"), { analyzer });
    expect(recording.succeeded).toBe(false);
    expect(messages(recording)).toEqual(["error: too large"]);
  });
});

describe("programs in a process of their own", () => {
  const dir = fileURLToPath(new URL("fixtures/program", import.meta.url));

  async function inProcess(config: Record<string, string> = {}, env = {}) {
    const printed: string[] = [];
    const recording = await recordProgram({
      ...(await loadProject(dir, "dev")),
      program: { dir, env },
      config: { namespace: "ns", count: "2", ...config },
      secretConfig: { token: "s3cr3t" },
      onOutput: (text) => printed.push(text),
    });
    return { recording, printed: printed.join("") };
  }

  test("a project has its resources and outputs, and hides secrets in its output", async () => {
    const { recording, printed } = await inProcess();
    expect(recording.diagnostics).toEqual([]);
    expect(recording.resources.map(({ name }) => name).sort()).toEqual([
      "config-maps-dev",
      "default_4_34_2",
      "last",
      "map",
      "map-0",
      "map-1",
      "token",
    ]);
    expect(recording.outputs).toEqual({
      names: { value: ["map-0", "map-1"], secret: false },
      secretToken: { value: "s3cr3t", secret: true },
    });
    expect(printed).toBe("the program ran with [secret]\n");
  });

  test("an error that the program throws is reported", async () => {
    const { recording } = await inProcess({ throws: "true" });
    expect(recording.succeeded).toBe(false);
    expect(messages(recording).join()).toContain("thrown by the program");
  });

  test("a program that cannot start is reported", async () => {
    const { recording } = await inProcess({}, { NODE_OPTIONS: "--no-such-option" });
    expect(messages(recording)[0]).toMatch(/ended with exit code \d+/);
  });
});

describe("what a recording cannot contain is refused", () => {
  const names = { metadata: { generateName: "x-" } };
  test.each<[string, () => unknown, RegExp]>([
    [
      "remote components",
      () => new k8s.yaml.v2.ConfigGroup("g", { objs: [] }),
      /is a remote component.*kubernetes\.yaml \(without v2\)/,
    ],
    [
      "Helm releases",
      () => new k8s.helm.v3.Release("r", { chart: "c" }),
      /needs the provider's plugin/,
    ],
    [
      "custom resources of the core group",
      () => new k8s.apiextensions.CustomResource("n", { apiVersion: "v1", kind: "Namespace" }),
      /kubernetes:v1:Namespace: the provider creates no CustomResource of the core group/,
    ],
    ["generated names of a server", () => new k8s.core.v1.ConfigMap("m", names), /generateName/],
    [
      "functions of providers",
      () => pulumi.runtime.invoke("aws:index/getRegion:getRegion", {}),
      /function aws:index\/getRegion:getRegion needs the plugin/,
    ],
  ])("%s", async (_, program, message) => {
    const recording = await recorded(program);
    expect(recording.succeeded).toBe(false);
    expect(messages(recording).join("\n")).toMatch(message);
  });
});
