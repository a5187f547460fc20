import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { folderOf } from "../cli/sample.fixture.ts";
import { bootstrapTarget, packageProblem, projectCommands } from "./bootstrap.ts";

it("bootstrapTarget returns an image in the given registry", () => {
  expect(bootstrapTarget(["--registry", "registry.example.com/team/"])).toEqual({
    image: "registry.example.com/team/pulumi-inference",
    tlsVerify: true,
    install: true,
  });
});

it.each([
  [[], "--registry: is missing"],
  [["--registry", "r.example.com", "--tls-verify", "no"], '--tls-verify: is "no"'],
  [["--registry", "a b"], "a b/pulumi-inference"],
  [["--registri", "r"], "--registri"],
])("bootstrapTarget refuses %j", (args, message) => {
  expect(() => bootstrapTarget(args)).toThrow(message);
});

it("projectCommands returns one command for the package and one for the image", () => {
  expect(projectCommands("/p/pulumi-inference-0.1.0.tgz", "r/p@sha256:1").split("\n")).toEqual([
    "npm install /p/pulumi-inference-0.1.0.tgz @pulumi/pulumi @pulumi/kubernetes",
    "pulumi config set pulumi-inference:image r/p@sha256:1",
  ]);
});

it("bootstrapTarget refuses to install with --no-install", () => {
  expect(bootstrapTarget(["--registry", "r.example.com", "--no-install"])).toMatchObject({
    install: false,
  });
});

it.each([
  [undefined, "ENOENT"],
  [Buffer.from("no archive"), "incorrect header check"],
  [gzipSync(""), "contains undefined@undefined"],
])("packageProblem reports a file that npm did not write", (bytes, problem) => {
  using folder = folderOf({});
  const file = join(folder.path, "p.tgz");
  if (bytes !== undefined) writeFileSync(file, bytes);
  expect(packageProblem(file)).toContain(problem);
});
