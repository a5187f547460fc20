import { z } from "zod";
import {
  eitherField,
  type ValidationRule,
  validations,
  weightsOfAllOrNone,
} from "../../kubernetes/kinds/validation-rules.ts";
import { LLMServiceSpec, Model, maxModels, TargetModel } from "../spec/llm-service.ts";

/** The LLMService that an API server keeps: as specified, with the spellings of the proposal's YAML beside. */

const TargetModelObject = TargetModel.partial({ name: true })
  .extend({ targetModelName: TargetModel.shape.name.optional().describe("The same as name.") })
  .meta(validations(eitherField("name", "targetModelName")));

const ModelObject = Model.partial({ name: true })
  .extend({
    modelName: Model.shape.name.optional().describe("The same as name."),
    targetModels: z
      .array(TargetModelObject)
      .max(64)
      .meta(validations(weightsOfAllOrNone))
      .optional()
      .describe("What model servers are asked for, by weight. Default: the model's own name."),
  })
  .meta(validations(eitherField("name", "modelName")));

const nameOf = (model: string) =>
  `(has(${model}.name) ? ${model}.name : has(${model}.modelName) ? ${model}.modelName : '')`;

const uniqueNames: ValidationRule = {
  rule: `self.all(a, self.exists_one(b, ${nameOf("b")} == ${nameOf("a")}))`,
  message: "a model name stands once in a service",
};

const models = z.array(ModelObject).min(1).max(maxModels).meta(validations(uniqueNames));

export const LLMServiceObjectSpec = LLMServiceSpec.extend({
  models: models.optional(),
  LLMServices: models.optional().describe("The same as models."),
}).meta(validations(eitherField("models", "LLMServices")));
