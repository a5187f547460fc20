import { expect, it } from "vitest";
import { bootstrapTarget, projectCommands } from "./bootstrap.ts";

it("bootstrapTarget returns an image in the given registry", () => {
  expect(bootstrapTarget(["--registry", "registry.example.com/team/"])).toEqual({
    image: "registry.example.com/team/pulumi-inference",
    tlsVerify: true,
    realms: [],
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
