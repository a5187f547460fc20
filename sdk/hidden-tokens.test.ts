import { expect, it } from "vitest";
import { hideTokens, tokenIn } from "./hidden-tokens.ts";

const secret = "aB3dE".repeat(6);

it.each([
  ["hf_", `hf_${secret}`],
  ["sk-", `sk-proj-${secret}`],
  ["ghp_", `ghp_${secret}`],
  ["github_pat_", `github_pat_${secret}`],
  ["glpat-", `glpat-${secret}`],
  ["nvapi-", `nvapi-${secret}`],
  ["xoxb-", `xoxb-1234-${secret}`],
  ["AKIA", "AKIAIOSFODNN7EXAMPLE"],
  ["eyJ", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret}`],
])("a token that begins with %s is hidden", (start, token) => {
  expect(hideTokens(`is "${token}"; allowed`)).toBe(`is "${start}..."; allowed`);
  expect(hideTokens(`KEY=${token} and ${token}`)).toBe(`KEY=${start}... and ${start}...`);
  expect(tokenIn(token)).toBe(`${start}...`);
});

it.each([
  "hf_token_of_the_platform_team",
  "the-task-Force-of-Seventeen-People-1",
  "Qwen/Qwen3-32B",
  "registry.example.com/team/risk-Analysis-Of-2026-Models@sha256:0123456789abcdef0123456789abcdef",
  "hf_short1",
])("%s is not a token", (text) => {
  expect(hideTokens(text)).toBe(text);
  expect(tokenIn(text)).toBeUndefined();
});
