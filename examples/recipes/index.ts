import * as pulumi from "@pulumi/pulumi";
import { InferenceService } from "pulumi-inference";
import { recipes } from "./recipes.ts";

const config = new pulumi.Config();
const recipe = (config.get("recipe") ?? "qwen3-32b-h100") as keyof typeof recipes;
const namespace = config.get("namespace") ?? "default";

// Object names are DNS labels, which contain no dots.
const service = new InferenceService(recipe.replaceAll(".", "-"), {
  metadata: { namespace },
  ...recipes[recipe],
});

export const components = service.components;
