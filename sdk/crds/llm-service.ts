import { z } from "zod";
import {
  type ValidationRule,
  validations,
  weightsOfAllOrNone,
} from "../../kubernetes/kinds/validation-rules.ts";
import { spellings } from "../spec/aliases.ts";
import { LLMServiceSpec, Model, maxModels, TargetModel } from "../spec/llm-service.ts";
import { twiceSpelled } from "./twice-spelled.ts";

/** The LLMService in an API server: the spec, with the spellings of the proposal's YAML as aliases. */

const targetModels = z
  .array(twiceSpelled(TargetModel, spellings.targetModel))
  .max(64)
  .meta(validations(weightsOfAllOrNone))
  .optional()
  .describe("Model names that model servers receive, by weight. Default: the name of the model.");

const ModelObject = twiceSpelled(Model.extend({ targetModels }), spellings.model);

const nameOfModel = (model: string) =>
  `(has(${model}.name) ? ${model}.name : has(${model}.modelName) ? ${model}.modelName : '')`;

const uniqueNames: ValidationRule = {
  rule: `self.all(a, self.exists_one(b, ${nameOfModel("b")} == ${nameOfModel("a")}))`,
  message: "model names are unique within a service",
};

const models = z.array(ModelObject).min(1).max(maxModels).meta(validations(uniqueNames));

export const LLMServiceObjectSpec = twiceSpelled(
  LLMServiceSpec.extend({ models }),
  spellings.llmService,
);
