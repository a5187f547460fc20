import { expect, it } from "vitest";
import { SpecError } from "../../errors.ts";
import { parseInferenceService } from "../../validate/inference-service.ts";

/** Returns the error text of a service with a typed model. */
function refusal(model: object): string {
  const roles = [{ name: "inference", componentType: "worker" }];
  const spec = { model: { name: "Qwen/Qwen3-8B", ...model }, accelerator: "h100-sxm", roles };
  try {
    parseInferenceService({ metadata: { name: "svc" }, spec });
  } catch (error) {
    if (error instanceof SpecError) return error.message;
    throw error;
  }
  return "";
}

const token = "hf_abcdefghijklmnop";

it("a token instead of the name of a Secret is refused and not printed", () => {
  const text = refusal({ token: { secret: token } });
  expect(text).toContain("model.token.secret: is not the name of a Secret");
  expect(text).not.toContain(token);
  expect(refusal({ token: { secret: "hf-token" } })).toBe("");
  expect(refusal({ token: { secret: { __pulumiOutput: true } } })).toBe("");
});

it("a token instead of a reference to a Secret is refused and not printed", () => {
  const text = refusal({ token });
  expect(text).toContain("model.token: is a string; allowed: an object");
  expect(text).not.toContain(token);
});

it("a reference without the name of a Secret is refused in words", () => {
  expect(refusal({ token: { key: "token" } })).toContain(
    "model.token.secret: is missing; allowed: a value. Add secret.",
  );
});

it.each(["", "Bad_Name"])("claim %j of a cache is refused", (claim) => {
  expect(refusal({ cache: { claim } })).toContain("model.cache.claim: is ");
});

it("a claim with a valid or later name is accepted", () => {
  expect(refusal({ cache: { claim: "models.v1" } })).toBe("");
  expect(refusal({ cache: { claim: { __pulumiOutput: true } } })).toBe("");
});
