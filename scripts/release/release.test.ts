import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isPublished, version } from "../../sdk/version.ts";
import { sectionOf } from "./changelog.ts";
import { asPublished } from "./published.ts";
import { type Sbom, sbomProblems } from "./sbom.ts";

/** The parts of a release that can run without releasing anything. */

const repository = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(repository, file), "utf8");

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { steps: Array<{ uses?: string; run?: string }> }>;
}

const folder = join(".github", "workflows");
const workflows = readdirSync(join(repository, folder)).map(
  (file) => [file, parse(read(join(folder, file)), { strict: true }) as Workflow] as const,
);

describe.each(workflows)("%s", (file, { permissions, jobs }) => {
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it("has read-only permissions unless a job sets others", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("C12: pins every action by its commit, with its version in a comment", () => {
    const written = [...read(join(folder, file)).matchAll(/uses: (.*)/g)].map(([, uses]) => uses);
    expect(written).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const uses of written) expect(uses).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("runs only existing scripts", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const text = steps.map(({ run = "" }) => run).join("\n");
    for (const [, name] of text.matchAll(/npm run (?:--\S+ )*([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(name);
    for (const [, file] of text.matchAll(/(?:node |^)((?:scripts\/|\.ci\/)\S+)/gm))
      expect(existsSync(join(repository, file as string))).toBe(true);
  });
});

it("the nightly workflow runs the Pulumi CLI, real engines, the clouds' packages, properties and fuzz targets", () => {
  const nightly = workflows.find(([file]) => file === "nightly.yml")?.[1];
  const runs = Object.values(nightly?.jobs ?? {}).map(({ steps }) => steps.at(-1)?.run);
  expect(runs).toEqual([
    "npm test real-cli",
    "npm test engines",
    "npm test clouds",
    "npm run check",
    "npm run tool test/fuzz -- --minutes 30",
  ]);
});

it("a release is prepared without a change of the source", () => {
  const before = read("sdk/version.ts");
  const command = ["scripts/release/prepare.ts", "--dry-run", `--tag=v${version}`];
  const said = execFileSync(process.execPath, command, { cwd: repository, encoding: "utf8" });
  expect(said).toMatch(new RegExp(`^pulumi-inference ${version}: \\d{3,} parts`));
  expect(read("sdk/version.ts")).toBe(before);
  expect(read("dist/release/notes.md").trim()).toBe(sectionOf(read("CHANGELOG.md"), version));
});

it("a release with another tag than the version is refused", () => {
  const command = ["scripts/release/prepare.ts", "--dry-run", "--tag=v9.9.9"];
  expect(() =>
    execFileSync(process.execPath, command, { cwd: repository, encoding: "utf8", stdio: "pipe" }),
  ).toThrow(/versions differ: .*the tag says 9\.9\.9/);
});

it("asPublished sets isPublished, which is false before a release", () => {
  expect(isPublished).toBe(false);
  expect(asPublished(read("sdk/version.ts"))).toContain("isPublished: boolean = true;");
  expect(() => asPublished("")).toThrow("sdk/version.ts does not say");
});

it("a changelog without the version is refused", () => {
  expect(() => sectionOf("# Changelog\n\n## 1.0.0\n\n- new\n", "1.0.1")).toThrow("## 1.0.1");
  expect(() => sectionOf("## 1.0.1\n\n## 1.0.0\n\n- new\n", "1.0.1")).toThrow("## 1.0.1");
  expect(sectionOf("## 1.0.1\n\n- newer\n\n## 1.0.0\n\n- new\n", "1.0.1")).toBe("- newer");
});

it("C12: an incomplete SBOM is refused", () => {
  const sbom: Sbom = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    metadata: { timestamp: "2026-01-01T00:00:00Z", component: { purl: "pkg:npm/a@1" } },
    components: [{ name: "b", version: "2", purl: "pkg:npm/b@2" }],
  };
  expect(sbomProblems(sbom, "a", "1")).toEqual([]);
  expect(sbomProblems({}, "a", "1")).toEqual([
    "it is not CycloneDX",
    "it has no timestamp",
    "it is not of a 1",
    "it lists no part",
  ]);
  expect(sbomProblems({ ...sbom, components: [{ name: "b" }] }, "a", "1")).toEqual([
    "part b has no name, version or purl",
  ]);
});
