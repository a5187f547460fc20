import { expect, it } from "vitest";
import { kvFormatOf } from "./kv-format.ts";

const image = "vllm/vllm-openai:v0.32.0";
const format = (args: readonly string[], of = image) => kvFormatOf({ image: of, args });
const plain = format(["--model", "m"]);

it.each([
  ["--tensor-parallel-size", ["--model", "m", "--tensor-parallel-size", "8"]],
  ["the order of options", ["--port", "8200", "--model", "m"]],
  ["the KV transfer", ["--model", "m", "--kv-transfer-config", '{"kv_role":"kv_producer"}']],
])("kvFormatOf ignores %s", (_, args) => {
  expect(format(args)).toBe(plain);
});

it.each([
  ["another model", ["--model", "n"], image],
  ["another revision", ["--model", "m", "--revision", "r"], image],
  ["another type of the cache", ["--model", "m", "--kv-cache-dtype", "fp8"], image],
  ["another block size", ["--model", "m", "--block-size", "32"], image],
  ["another image", ["--model", "m"], "vllm/vllm-openai:v0.32.1"],
])("kvFormatOf differs for %s", (_, args, of) => {
  expect(format(args, of)).not.toBe(plain);
});

it("kvFormatOf reads a model without an option", () => {
  expect(kvFormatOf({ image, command: ["vllm", "serve", "m"] })).toBe(plain);
});

it.each([
  ["an unknown engine", { image: "registry.example/server:1", args: ["--model", "m"] }],
  ["an image that only the update knows", { image: Promise.resolve(image), args: ["m"] }],
  ["a model from a variable", { image, command: ["sh", "-c", "vllm serve $MODEL"] }],
])("kvFormatOf is undefined for %s", (_, container) => {
  expect(kvFormatOf(container as never)).toBeUndefined();
});
