import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bundlePacks } from "../../policies/bundle.ts";
import { folderOf, run, sampleManifest } from "../sample.fixture.ts";

beforeAll(bundlePacks);

const broken = "kind: Pod\nspec: [1,\nother: }\n";

describe("a broken file of a folder", () => {
  it("check reports it as one problem with its line, and checks the rest", async () => {
    using folder = folderOf({ "a.yaml": sampleManifest("a"), "b.yaml": broken, "c.yaml": pod });
    const { code, out } = await run(["check", folder.path, "--format", "json"]);
    expect(code).toBe(1);
    const { findings, objects } = JSON.parse(out);
    const unread = findings.filter((each: Finding) => each.policy === "file-is-readable");
    expect(unread).toHaveLength(1);
    expect(unread[0].file ?? unread[0].place?.file).toBe(join(folder.path, "b.yaml"));
    expect(JSON.stringify(unread[0])).toContain('"line":3');
    expect(objects).toBeGreaterThan(3);
    expect(findings.some((each: Finding) => each.policy === "gpu-limits-are-whole")).toBe(true);
  });

  it("render reports it next to the problems of other files", async () => {
    using folder = folderOf({ "a.yaml": sampleManifest("a", "  extra: 1\n"), "b.yaml": broken });
    const { code, out, err } = await run(["render", folder.path]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const lines = err.trimEnd().split("\n");
    expect(
      lines.filter((line) => line.startsWith(`${join(folder.path, "b.yaml")}:3: `)),
    ).toHaveLength(1);
    expect(lines.some((line) => line.startsWith(`${join(folder.path, "a.yaml")}:`))).toBe(true);
  });

  it("the exit code is 2 for a broken file that is named itself", async () => {
    using folder = folderOf({ "b.yaml": broken });
    for (const command of ["check", "render"])
      expect((await run([command, join(folder.path, "b.yaml")])).code).toBe(2);
  });

  it("the exit code is 1 for a folder with only a broken file", async () => {
    using folder = folderOf({ "b.yaml": broken });
    for (const command of ["check", "render"])
      expect((await run([command, folder.path])).code).toBe(1);
  });
});

interface Finding {
  readonly policy: string;
}

const pod = `\
apiVersion: v1
kind: Pod
metadata: { name: c }
spec:
  containers: [{ name: c, image: "c:1", resources: { limits: { nvidia.com/gpu: "0.5" } } }]
`;

describe("a slow command", () => {
  it.each([["render"], ["check"]])(
    "%s reports progress on stderr, and the same output",
    async (command) => {
      using folder = folderOf(
        Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.yaml`, sampleManifest(name)])),
      );
      let time = 0;
      const now = () => {
        time += 6_000;
        return time;
      };
      const quick = await run([command, folder.path]);
      const slow = await run([command, folder.path], "", false, { now });
      expect(slow.code).toBe(quick.code);
      expect(slow.out).toBe(quick.out);
      expect(slow.err).toMatch(/^Documents planned: \d of 3$/m);
      expect(quick.err).not.toContain("planned:");
    },
  );
});
