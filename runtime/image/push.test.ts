import { expect, it } from "vitest";
import { version } from "../../sdk/version.ts";
import { readTarget } from "./push.ts";

it.each([
  ["ghcr.io/team/inference:1.2", "ghcr.io/team/inference", "1.2"],
  ["ghcr.io/team/inference", "ghcr.io/team/inference", version],
  ["localhost:5000/inference", "localhost:5000/inference", version],
  ["registry:5000/a/b_c/d-e:latest", "registry:5000/a/b_c/d-e", "latest"],
])("readTarget accepts %s", (target, name, tag) => {
  expect(readTarget(target)).toEqual({ name, tag });
});

it.each([
  "inference",
  "team/inference",
  "ghcr.io/Team/inference",
  "ghcr.io/a@sha256:0",
  "ghcr.io/",
])("readTarget rejects %s", (target) => {
  expect(() => readTarget(target)).toThrow("allowed: REGISTRY/NAME or REGISTRY/NAME:TAG");
});
