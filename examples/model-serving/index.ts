import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ModelServing, type ModelServingArgs } from "pulumi-inference";
import { modelServingFromManifest } from "pulumi-inference/sdk";
import { parse } from "yaml";

// A manifest of Kthena. In a program, the arguments have the same fields.
const manifest = parse(readFileSync(join(import.meta.dirname, "model-serving.yaml"), "utf8"));
const { metadata, spec } = modelServingFromManifest(manifest);

const serving = new ModelServing("llama-8b", { metadata, ...spec } as unknown as ModelServingArgs);

export const name = serving.servingName;
