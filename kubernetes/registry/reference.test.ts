import { expect, it } from "vitest";
import { formatReference, parseReference } from "./reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

it.each([
  ["vllm/vllm-openai:v0.32.0", "docker.io/vllm/vllm-openai:v0.32.0"],
  ["nginx", "docker.io/library/nginx:latest"],
  ["index.docker.io/library/nginx:1", "docker.io/library/nginx:1"],
  ["quay.io/ascend/vllm-ascend:v1", "quay.io/ascend/vllm-ascend:v1"],
  ["localhost:5000/a:b", "localhost:5000/a:b"],
  ["localhost/a", "localhost/a:latest"],
  [`ghcr.io/a/b_c@${digest}`, `ghcr.io/a/b_c@${digest}`],
  [`ghcr.io/a/b:1@${digest}`, `ghcr.io/a/b:1@${digest}`],
])("parseReference reads %s as %s", (image, full) => {
  expect(formatReference(parseReference(image))).toBe(full);
});

it.each([
  "",
  ":tag",
  "Upper/case:1",
  "a//b",
  "a@sha256:00",
  "https://ghcr.io/a",
  "a:b c",
  "../a:1",
])("parseReference refuses %j", (image) => {
  expect(() => parseReference(image)).toThrow("is not an image reference; allowed:");
});
