import { expect, it } from "vitest";
import { servedModels } from "./served-models.ts";

const image = "vllm/vllm-openai:v0.11.0";
const sglang = ["python3", "-m", "sglang.launch_server"];

it.each<[what: string, engine: object, names: readonly string[] | undefined]>([
  ["its model", { command: ["vllm", "serve", "org/m", "--port=1"] }, ["org/m"]],
  ["its model behind a path", { command: ["/usr/bin/vllm", "serve", "m"] }, ["m"]],
  ["the image's program", { image, args: ["org/m"] }, ["org/m"]],
  ["the image's program by a flag", { image, args: ["--model", "org/m"] }, ["org/m"]],
  ["a flag with =", { image, args: ["--model=org/m", "--served-model-name=chat"] }, ["chat"]],
  [
    "several names",
    { image, args: ["--model", "m", "--served_model_name", "a", "b", "--port", "1"] },
    ["a", "b"],
  ],
  [
    "a module",
    { command: ["python3", "-m", "vllm.entrypoints.openai.api_server"], args: ["--model", "m"] },
    ["m"],
  ],
  [
    "a script",
    { command: ["sh", "-c", "ray start --head && vllm serve m --served-model-name x && true"] },
    ["x"],
  ],
  ["SGLang", { command: sglang, args: ["--model-path", "org/m"] }, ["org/m"]],
  [
    "SGLang by another name",
    { command: sglang, args: ["--model-path=m", "--served-model-name=x"] },
    ["x"],
  ],
  ["a variable", { image, args: ["--model", "$(MODEL)"] }, undefined],
  ["a variable of a shell", { command: ["sh", "-c", "vllm serve $MODEL"] }, undefined],
  ["a configuration file", { image, args: ["--config", "/vllm.yaml"] }, undefined],
  [
    "a module without a model",
    { command: ["python3", "-m", "vllm.x"], args: ["--port=1"] },
    undefined,
  ],
  ["no model", { image, args: ["--port=1"] }, undefined],
  ["an option without its value", { image, args: ["--model"] }, undefined],
  ["an empty name", { image, args: ["--model", "m", "--served-model-name", ""] }, undefined],
  ["TensorRT-LLM", { command: ["trtllm-serve", "m"] }, ["m"]],
  [
    "a name with an equals sign",
    { image, args: ["--model", "m", "--served-model-name=a=b"] },
    ["a=b"],
  ],
  ["another engine", { command: ["llama-server", "m"] }, undefined],
  ["words known later", { image, args: [{ __pulumiOutput: true }] }, undefined],
])("servedModels returns the model names of %s: %j", (_, engine, names) => {
  expect(servedModels(engine)).toEqual(names);
});
