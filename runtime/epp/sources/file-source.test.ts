import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import { objectsOf } from "./file-objects.ts";
import { FileSource, type FileSourceOptions } from "./file-source.ts";

const pool = (port = 8000, name = "pool") => `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: m } }
  targetPorts: [{ number: ${port} }]
---
`;
const pod = `
apiVersion: v1
kind: Pod
metadata: { name: p, labels: { app: m } }
status: { podIP: 10.0.0.1 }
---
`;
const objective = (group: string, priority: number, name = "o") => `
apiVersion: ${group}
kind: InferenceObjective
metadata: { name: ${name} }
spec: { poolRef: { name: pool }, priority: ${priority} }
---
`;

describe("objects of a file", () => {
  it("objectsOf reads every kind, and uses namespace default for objects without a namespace", () => {
    const rewrite = `
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: InferenceModelRewrite
metadata: { name: r, namespace: other }
spec: { poolRef: { name: pool }, rules: [{ targets: [{ modelRewrite: a, weight: 1 }] }] }
`;
    const objects = objectsOf(pool() + pod + objective("llm-d.ai/v1alpha2", 3) + rewrite);
    expect(objects).toMatchObject({
      pool: { name: "pool", namespace: "default", group: "inference.networking.k8s.io" },
      pods: [{ name: "p", namespace: "default", ip: "10.0.0.1", ready: true }],
      objectives: [{ name: "o", priority: 3 }],
      rewrites: [{ name: "r", namespace: "other", rules: [{ targets: [{ model: "a" }] }] }],
    });
  });

  it("objectsOf uses the given namespace for objects without a namespace", () => {
    expect(objectsOf(pool() + pod, undefined, "ns")).toMatchObject({
      pool: { namespace: "ns" },
      pods: [{ namespace: "ns" }],
    });
  });

  it("objectsOf skips empty documents and comments", () => {
    expect(objectsOf(`---\n# nothing\n---\n${pool()}---\n`).pool?.name).toBe("pool");
  });

  it("objectsOf prefers the llm-d.ai object of two with one name, in any order", () => {
    const [newest, older, oldest] = [
      objective("llm-d.ai/v1alpha2", 1),
      objective("inference.networking.x-k8s.io/v1alpha2", 2),
      objective("inference.networking.x-k8s.io/v1alpha1", 3),
    ];
    for (const text of [newest + older, older + newest])
      expect(objectsOf(pool() + text).objectives).toMatchObject([{ priority: 1 }]);
    expect(objectsOf(pool() + oldest + older).objectives).toMatchObject([{ priority: 2 }]);
  });

  it("objectsOf returns the pool with the given name", () => {
    const two = pool(1, "one") + pool(2, "two");
    expect(objectsOf(two, "two").pool?.targetPorts).toEqual([2]);
    expect(() => objectsOf(two)).toThrow(
      /several InferencePools \(default\/one, default\/two\): name one with --pool-name/,
    );
    expect(() => objectsOf(two, "three")).toThrow(
      "no InferencePool three; found: default/one, default/two",
    );
    expect(() => objectsOf(pod)).toThrow("no InferencePool; found: none");
  });

  it.each([
    ["kind: [", /line 1/],
    [
      `${pool()}kind: Service\n`,
      /^line 9: kind Service is not supported; supported: InferencePool/,
    ],
    [`${pool()}- a\n`, /^line 9: not an object/],
    [`${pool("x" as unknown as number)}`, /^line 2: spec\.targetPorts\[0\]\.number: /],
    [
      `${pool()}${objective("llm-d.ai/v1", 1)}`,
      /^line 10: apiVersion llm-d\.ai\/v1 is not supported/,
    ],
    [`${pool()}kind: Pod\nmetadata: {}\n`, /^line 9: metadata\.name: /],
    [`${pool()}kind: Pod\nmetadata: { name: a, name: b }\n`, /unique.*line 10/s],
  ])("objectsOf rejects %j with the line of the error", (text, message) => {
    expect(() => objectsOf(text)).toThrow(message);
  });
});

describe("file changes", () => {
  let folder: string;
  let file: string;
  let notified: PoolObjects[];
  let problems: string[];
  let source: FileSource;
  let news: (() => void) | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "file-source-"));
    file = join(folder, "objects.yaml");
    notified = [];
    problems = [];
  });
  afterEach(async () => {
    await source.stop();
    rmSync(folder, { recursive: true });
  });

  function start(options: Partial<FileSourceOptions> = {}): void {
    source = new FileSource({
      file,
      onProblem: (_, problem) => {
        problems.push(problem);
        news?.();
      },
      ...options,
    });
    source.start((objects) => {
      notified.push(objects);
      news?.();
    });
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        news = resolve;
      });
  }

  const ports = () => notified.map(({ pool }) => pool?.targetPorts[0]);

  it("the file is read before start returns, and again when it is written", async () => {
    writeFileSync(file, pool(1));
    start({ pollMs: 1e9 });
    expect(ports()).toEqual([1]);
    expect(source.synced()).toBe(true);
    writeFileSync(file, pool(2));
    await until(() => notified.length === 2);
    expect(ports()).toEqual([1, 2]);
  });

  it("the file is read again when it is replaced, as editors do", async () => {
    writeFileSync(file, pool(1));
    start({ pollMs: 1e9 });
    for (const port of [2, 3]) {
      writeFileSync(`${file}.new`, pool(port));
      renameSync(`${file}.new`, file);
      await until(() => ports().includes(port));
    }
    expect(ports()).toEqual([1, 2, 3]);
  });

  it("the file is read again when the links of a ConfigMap are swapped", async () => {
    const release = (name: string, port: number) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "objects.yaml"), pool(port));
      symlinkSync(name, join(folder, "..data_tmp"));
      renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    };
    release("..1", 1);
    symlinkSync("..data/objects.yaml", file);
    start({ pollMs: 1e9 });
    release("..2", 2);
    await until(() => ports().includes(2));
    expect(ports()).toEqual([1, 2]);
  });

  it("the file is polled if the system reports no changes", async () => {
    // Changes behind the link are in a folder without a watch.
    const elsewhere = mkdtempSync(join(tmpdir(), "file-source-elsewhere-"));
    try {
      writeFileSync(join(elsewhere, "real.yaml"), pool(1));
      symlinkSync(join(elsewhere, "real.yaml"), file);
      start({ pollMs: 60 });
      writeFileSync(join(elsewhere, "real.yaml"), pool(2));
      await until(() => ports().includes(2));
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("an invalid or deleted file keeps the last valid objects and is reported once", async () => {
    writeFileSync(file, pool(1));
    start({ pollMs: 60 });
    writeFileSync(file, "kind: Service");
    await until(() => problems.length === 1);
    unlinkSync(file);
    await until(() => problems.length === 2);
    // Enough time for several more polls.
    await sleep(250);
    expect(problems).toEqual([
      expect.stringMatching(/^line 1: kind Service is not supported/),
      expect.stringMatching(/ENOENT/),
    ]);
    expect([ports(), source.synced()]).toEqual([[1], true]);
    writeFileSync(file, pool(2));
    await until(() => notified.length === 2);
  });

  it("the file is read again while another process keeps writing to its folder", async () => {
    writeFileSync(file, pool(1));
    start();
    const others = setInterval(() => writeFileSync(`${file}.other`, ""), 10);
    try {
      writeFileSync(file, pool(2));
      await until(() => ports().includes(2));
    } finally {
      clearInterval(others);
    }
  });

  it("a file may be created after the start", async () => {
    start({ pollMs: 1e9 });
    expect([notified, source.synced()]).toEqual([[], false]);
    expect(problems).toEqual([expect.stringMatching(/ENOENT/)]);
    writeFileSync(file, pool(1));
    await until(() => notified.length === 1);
    expect(source.synced()).toBe(true);
  });
});
