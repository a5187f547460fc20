import { join } from "node:path";
import { expect, it } from "vitest";
import { folderOf, run, sampleManifest } from "../sample.fixture.ts";

it("the plan of a document is printed as a Mermaid flowchart", async () => {
  const { code, out, err } = await run(["graph", "-f", "-"], sampleManifest("a"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(`\
flowchart TB
  subgraph g0["PodGroup a: at least 6 pods start together"]
    n0["LeaderWorkerSet<br/>a-prefill-0<br/>role prefill (prefiller)<br/>1 replica of 2 pods<br/>8 nvidia.com/gpu per pod"]
    n1["2 LeaderWorkerSets<br/>a-decode-0 to 1<br/>role decode (decoder)<br/>2 replicas of 4 pods<br/>8 nvidia.com/gpu per pod"]
  end
  subgraph g1["For the engines of a"]
    n2["PodDisruptionBudget<br/>a-prefill"]
    n3["PodDisruptionBudget<br/>a-decode"]
    n4["NetworkPolicy<br/>a-engines"]
  end
  n0 -->|"KV cache"| n1
`);
});

it("--service draws only the objects of that service", async () => {
  using folder = folderOf({ "two.yaml": `${sampleManifest("a")}---\n${sampleManifest("b")}` });
  const file = join(folder.path, "two.yaml");
  const { out } = await run(["graph", file, "--service", "b"]);
  expect(out).toContain("b-prefill-0");
  expect(out).not.toContain("a-prefill-0");
  const unknown = await run(["graph", file, "--service", "c"]);
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain('--service: no objects of "c"; found: a, b');
});

it("an invalid document is refused with its line", async () => {
  const { code, err } = await run(["graph", "-"], sampleManifest("a", "      minReplicas: -1\n"));
  expect(code).toBe(1);
  expect(err).toContain("spec.roles[1].minReplicas: is -1");
});
