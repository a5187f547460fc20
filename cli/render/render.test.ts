import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { fromManifest } from "../../sdk/spec/inference-service-manifest.ts";
import { parseYamlDocuments } from "../input/yaml-documents.ts";
import { folderOf, run, sampleManifest } from "../sample.fixture.ts";

const plannedOf = (manifest: string) =>
  parseYamlDocuments("sample", manifest).flatMap((document) =>
    planInferenceService(fromManifest(document)),
  );

const valuesOf = (yaml: string) => [...parseAllDocuments(yaml)].map((document) => document.toJS());

describe("render", () => {
  it("the plan is printed as YAML documents in the order of applying", async () => {
    const { code, out, err } = await run(["render", "-f", "-"], sampleManifest("a"));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(valuesOf(out)).toEqual(plannedOf(sampleManifest("a")));
    expect(valuesOf(out).map(({ kind }) => kind)).toEqual([
      "PodGroup",
      "LeaderWorkerSet",
      "LeaderWorkerSet",
      "LeaderWorkerSet",
      "PodDisruptionBudget",
      "PodDisruptionBudget",
      "NetworkPolicy",
    ]);
  });

  it("the plan of several files and documents is printed as one JSON array", async () => {
    using folder = folderOf({
      "a.yaml": `${sampleManifest("a")}---\n# nothing here\n---\n${sampleManifest("b")}`,
      "c.json": JSON.stringify(parseYamlDocuments("c", sampleManifest("c"))[0], null, "\t"),
    });
    const files = ["a.yaml", "c.json"].map((name) => join(folder.path, name));
    const { code, out } = await run(["render", "-f", ...files, "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(
      ["a", "b", "c"].flatMap((name) => plannedOf(sampleManifest(name))),
    );
  });

  it("the plan is printed for the items of a List from kubectl get", async () => {
    const items = ["a", "b"].map((name) => {
      const [document] = parseYamlDocuments(name, sampleManifest(name)) as [
        { metadata: object; spec: object },
      ];
      return {
        ...document,
        metadata: {
          ...document.metadata,
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}\n" },
          creationTimestamp: "2026-01-01T00:00:00Z",
          generation: 1,
          resourceVersion: "7",
          uid: "0d3f",
        },
        status: {},
      };
    });
    const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
    const fromList = await run(["render", "-f", "-"], JSON.stringify(list));
    const fromFile = await run(
      ["render", "-f", "-"],
      `${sampleManifest("a")}---\n${sampleManifest("b")}`,
    );
    expect(fromList).toEqual(fromFile);
  });

  it("the input is parsed as in kubectl: octal modes, merged maps, times of day as text", async () => {
    const volumes = `
          volumes:
            - name: scripts
              configMap: { name: scripts, defaultMode: 0755 }`;
    const manifest = sampleManifest("a")
      .replace("args: [--model, m,", "args: [12:30:45, 2001-01-01, --model, m,")
      .replace(/(\n {6}template:\n {8}spec:)/, `$1${volumes}`);
    const { out } = await run(["render", "-f", "-", "--format", "json"], manifest);
    expect(out).toContain('"defaultMode": 493');
    expect(out).toContain("12:30:45");
    expect(out).toContain("2001-01-01");
  });
});

it("render warns on stderr about a valid service with a likely mistake", async () => {
  const router = `
    - name: router
      componentType: router
`;
  const { code, out, err } = await run(
    ["render", "-f", "-"],
    `${sampleManifest("a").trimEnd()}${router}`.replace(
      "componentType: decoder",
      "componentType: decoder\n      sidecar: false",
    ),
  );
  expect(code).toBe(0);
  expect(out).toContain("kind: InferencePool");
  expect(err).toMatch(
    /^warning: .*: roles\[1\]\.template\.spec\.containers: have no decode sidecar, .*; allowed: a decode sidecar /,
  );
});

describe("problems", () => {
  it("problems are on stderr with their paths, and stdout is empty", async () => {
    const manifest = sampleManifest("a")
      .replace("nodeCount: 4", "nodeCount: 0")
      .replace("componentType: prefiller", "componentType: prefill");
    const { code, out, err } = await run(["render", "-f", "-"], manifest);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^standard input:8: spec\.roles\[0\]\.componentType: is "prefill"; all/,
      ),
      expect.stringMatching(/^standard input:19: spec\.roles\[1\]\.componentType: is decoder, but/),
      expect.stringMatching(
        /^standard input:22: spec\.roles\[1\]\.multinode\.nodeCount: is 0; all/,
      ),
    ]);
  });

  it("problems contain file and line", async () => {
    const broken = sampleManifest("b").replace("replicas: 2", "replicas: -1");
    using folder = folderOf({
      "a.yaml": `${sampleManifest("a")}---\n${broken}`,
      "c.yaml": "kind: Deployment\napiVersion: fusioninfer.io/v1\nspec: {}\n",
      "d.yaml":
        "kind: List\nitems:\n- kind: InferenceService\n  apiVersion: fusioninfer.io/v1alpha1\n  extra: 1\n",
    });
    const [a, c, d] = ["a", "c", "d"].map((name) => join(folder.path, `${name}.yaml`)) as [
      string,
      string,
      string,
    ];
    const { code, err } = await run(["render", "-f", a, c, "-f", d]);
    expect(code).toBe(1);
    const lines = err.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringContaining(`${a}:50: spec.roles[1].replicas: is -1; allowed: `),
      expect.stringContaining(
        `${c}:1: kind: is "Deployment"; allowed: InferenceService, ModelServing, LLMServerPool, LLMService, `,
      ),
      expect.stringContaining(`${d}:3: items[0].spec: is missing;`),
      expect.stringContaining(`${d}:5: items[0].extra: unknown field "extra";`),
    ]);
  });

  it("problems include objects that two services would both create", async () => {
    const first = sampleManifest("a").replaceAll("name: decode", "name: b-c");
    const second = sampleManifest("a-b").replaceAll("name: decode", "name: c");
    const { code, out, err } = await run(["render", "-f", "-"], `${first}---\n${second}`);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain('standard input:34: metadata.name: is "a-b", which creates ');
    expect(err).toContain('"a" (standard input:4) also creates it');
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("problems do not include equal names in different namespaces", async () => {
    const other = sampleManifest("a").replace("name: a", "name: a\n  namespace: other");
    const { code } = await run(["render", "-f", "-"], `${sampleManifest("a")}---\n${other}`);
    expect(code).toBe(0);
  });

  it.each([
    [
      "hello",
      "standard input:1: is a string; allowed: a Kubernetes object with apiVersion and kind",
    ],
    ["- a: 1\n", "standard input:1: is a list; allowed: a Kubernetes object"],
    ["\n12\n", "standard input:2: is a number; allowed: a Kubernetes object"],
    ["a: 1\n", "standard input:1: apiVersion: is missing"],
    [
      "apiVersion: v1\nkind: [Pod]\n",
      "standard input:2: kind: is a list; allowed: a kind such as Pod",
    ],
  ])("problems include a document that is not an object: %j", async (text, message) => {
    const { code, err } = await run(["render", "-"], text);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  it.each(["Model", "RuntimeProfile", "InferenceDeployment"])(
    "problems include a replacement for FusionInfer's later kind %s",
    async (kind) => {
      const { code, err } = await run(
        ["render", "-"],
        `apiVersion: fusioninfer.io/v1alpha2\nkind: ${kind}\nspec: {}\n`,
      );
      expect(code).toBe(1);
      expect(err).toContain(`kind: is "${kind}"`);
      expect(err).toContain("Write an InferenceService with one role for each runtime");
    },
  );
});

describe("input", () => {
  it("input without any object is misuse", async () => {
    using folder = folderOf({ "empty.yaml": "# only a comment\n---\n", "notes.txt": "hello" });
    for (const args of [[join(folder.path, "empty.yaml")], [folder.path], ["-"]]) {
      const { code, err } = await run(["render", ...args]);
      expect({ args, code, err }).toEqual({
        args,
        code: 2,
        err: `${args[0]}: no Kubernetes objects found\n`,
      });
    }
  });

  it("input may be files, folders and standard input, as arguments or with -f", async () => {
    using folder = folderOf({ "b.yaml": sampleManifest("b"), "c.json": "[1]", "d.txt": "x" });
    using other = folderOf({ "a.yaml": sampleManifest("a") });
    const file = join(other.path, "a.yaml");
    const { code, out, err } = await run(
      ["render", file, "-f", folder.path, "-"],
      sampleManifest("e"),
    );
    expect({ code, err }).toEqual({
      code: 0,
      err: `${join(folder.path, "c.json")}: not a Kubernetes object, skipped\n`,
    });
    expect(valuesOf(out)).toEqual(
      ["a", "b", "e"].flatMap((name) => plannedOf(sampleManifest(name))),
    );
  });

  it("objects of other kinds are printed unchanged at their position", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { a: "aA==" },
    };
    const kserve = {
      apiVersion: "serving.kserve.io/v1beta1",
      kind: "InferenceService",
      spec: { predictor: {} },
    };
    const text = [namespace, secret].map((each) => `${JSON.stringify(each)}\n---\n`).join("");
    const input = `${text}${sampleManifest("a")}---\n${JSON.stringify(kserve)}\n`;
    const { code, out } = await run(["render", "-", "--format", "json"], input);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual([namespace, secret, ...plannedOf(sampleManifest("a")), kserve]);
    using folder = folderOf({});
    await run(["render", "-", "-o", folder.path], input);
    expect(readdirSync(folder.path)).toContain("10-inferenceservice-unnamed.yaml");
  });
});

describe("-o", () => {
  const render = (folder: string, manifest: string, ...more: string[]) =>
    run(["render", "-f", "-", "-o", folder, ...more], manifest);

  it("writes one file per object, numbered in the order of applying", async () => {
    using folder = folderOf({});
    const target = join(folder.path, "new", "manifests");
    expect(await render(target, sampleManifest("a"))).toEqual({ code: 0, out: "", err: "" });
    const names = readdirSync(target).filter((name) => !name.startsWith("."));
    expect(names).toEqual([
      "01-podgroup-a.yaml",
      "02-leaderworkerset-a-prefill-0.yaml",
      "03-leaderworkerset-a-decode-0.yaml",
      "04-leaderworkerset-a-decode-1.yaml",
      "05-poddisruptionbudget-a-prefill.yaml",
      "06-poddisruptionbudget-a-decode.yaml",
      "07-networkpolicy-a-engines.yaml",
    ]);
    const read = names.flatMap((name) => valuesOf(readFileSync(join(target, name), "utf8")));
    expect(read).toEqual(plannedOf(sampleManifest("a")));
  });

  it("removes files that it wrote before and no longer writes", async () => {
    using folder = folderOf({ "README.md": "mine" });
    await render(folder.path, sampleManifest("a"));
    await render(folder.path, sampleManifest("a").replace("replicas: 2", "replicas: 1"));
    expect(readdirSync(folder.path).sort()).toEqual([
      ".pulumi-inference-render",
      "01-podgroup-a.yaml",
      "02-leaderworkerset-a-prefill-0.yaml",
      "03-leaderworkerset-a-decode-0.yaml",
      "04-poddisruptionbudget-a-prefill.yaml",
      "05-poddisruptionbudget-a-decode.yaml",
      "06-networkpolicy-a-engines.yaml",
      "README.md",
    ]);
  });

  it("does not touch other files, and names them", async () => {
    using folder = folderOf({ "01-podgroup-a.yaml": "mine" });
    const { code, err } = await render(folder.path, sampleManifest("a"));
    expect(code).toBe(2);
    expect(err).toContain("01-podgroup-a.yaml: not written by render");
    expect(readdirSync(folder.path)).toEqual(["01-podgroup-a.yaml"]);
    expect(readFileSync(join(folder.path, "01-podgroup-a.yaml"), "utf8")).toBe("mine");
    expect((await render(folder.path, sampleManifest("a"), "--force")).code).toBe(0);
    expect(readFileSync(join(folder.path, "01-podgroup-a.yaml"), "utf8")).not.toBe("mine");
  });

  it("does not touch edited files, even stale ones", async () => {
    using folder = folderOf({});
    await render(folder.path, sampleManifest("a"));
    const stale = join(folder.path, "04-leaderworkerset-a-decode-1.yaml");
    writeFileSync(stale, "edited");
    const smaller = sampleManifest("a").replace("replicas: 2", "replicas: 1");
    const { code, err } = await render(folder.path, smaller);
    expect(code).toBe(2);
    expect(err).toContain("04-leaderworkerset-a-decode-1.yaml");
    expect(existsSync(stale)).toBe(true);
  });

  it("ends if the system does not allow a folder to be created", async () => {
    const { code, err } = await render("/proc/x/y", sampleManifest("a"));
    expect(code).toBe(2);
    expect(err).toContain("-o /proc/x/y: ENOENT");
  });

  it("requires a folder", async () => {
    using folder = folderOf({ file: "" });
    const { code, err } = await render(join(folder.path, "file"), sampleManifest("a"));
    expect(code).toBe(2);
    expect(err).toContain(`-o ${join(folder.path, "file")}: `);
  });
});

describe("--show-plugins", () => {
  it("prints the changes of each plugin once on stderr, in addition to the manifests", async () => {
    const plugins = "  plugins: [{ name: shm, scope: { roles: [decode], target: Entry } }]\n";
    const { code, out, err } = await run(
      ["render", "-f", "-", "--show-plugins"],
      sampleManifest("a", plugins),
    );
    expect(code).toBe(0);
    expect(err).toBe(`\
InferenceService default/a, role decode, entry pods:
  shm
    + spec.containers[0].volumeMounts: [{"name":"shm","mountPath":"/dev/shm"}]
    + spec.volumes: [{"name":"shm","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}]
`);
    expect(valuesOf(out)).toEqual(plannedOf(sampleManifest("a", plugins)));
  });
});

describe("plugins beyond the built-in ones", () => {
  const own = "  plugins: [{ name: rank, config: { prefix: r } }]\n";
  const remote = "  plugins: [{ name: x, type: Webhook, webhook: { url: https://p.example/x } }]\n";
  const module = join(import.meta.dirname, "../../test/pod-plugins/own-plugins.fixture.ts");

  it("plugins beyond the built-in ones are loaded from modules", async () => {
    const refused = await run(["render", "-f", "-"], sampleManifest("a", own));
    expect(refused.err).toContain('plugins[0].name: is "rank"; allowed: nvidia-gpu-defaults, ');
    const { code, out } = await run(
      ["render", "-f", "-", "--plugin-modules", module],
      sampleManifest("a", own),
    );
    expect(code).toBe(0);
    expect(out).toContain("pulumi-inference/runtime-plugins");
  });

  it("plugins beyond the built-in ones are called if their URLs are listed", async () => {
    const refused = await run(["render", "-f", "-"], sampleManifest("a", remote));
    expect(refused.err).toContain("plugins[0].type: is Webhook; allowed: BuiltIn, because");
    const { code } = await run(
      ["render", "-f", "-", "--webhook-plugin-urls", "https://p.example/"],
      sampleManifest("a", remote),
    );
    expect(code).toBe(0);
  });

  it.each([
    ["is not there", "/nowhere.js", /--plugin-modules: .*nowhere/],
    [
      "exports no list",
      join(import.meta.dirname, "write-folder.ts"),
      /the default export is not a list/,
    ],
  ])(
    "plugins beyond the built-in ones are misuse if the module %s",
    async (_what, file, message) => {
      const { code, err } = await run(
        ["render", "-f", "-", "--plugin-modules", file],
        sampleManifest("a"),
      );
      expect(code).toBe(2);
      expect(err).toMatch(message);
    },
  );
});
