import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { InferenceServiceSpec } from "../spec/inference-service.ts";
import { componentTypes, Role, routingStrategies } from "../spec/role.ts";
import { fieldsWithoutDefaults } from "./without-defaults.ts";

/**
 * The InferenceService that an API server keeps: every field of the spec, nothing filled in, so that it reads back as
 * written. FusionInfer's operator has objects of this kind too: a field of the design is held to no more than its
 * schema there, and what that takes stays valid. Fields of this project are checked.
 */

const [worker, , , router] = Role.options.map(({ shape }) => fieldsWithoutDefaults(shape));
const engineFields = worker as Record<string, z.ZodType>;
const routerFields = router as Record<string, z.ZodType>;

/** Fields of the design that a role may have whatever its type is. */
const looseFields = ["replicas", "multinode", "template", "strategy", "endpointPickerConfig"];
const looseObjects = ["httproute", "gateway"];
const isOurs = (field: string) => ![...looseFields, ...looseObjects].includes(field);

const only = (fields: object, others: object) =>
  Object.keys(fields).filter((field) => !(field in others) && isOurs(field));

const forRoutersOnly = only(routerFields, engineFields);
const notForRouters = only(engineFields, routerFields);

const anything = z.looseObject({});

const descriptions: Readonly<Record<string, string>> = {
  minReplicas: "Replicas that start together with the other roles' minimum. Default 1.",
  plugins: "Pod plugins of this role alone.",
  resources: "Of the endpoint picker's container.",
  image: "Of the endpoint picker.",
  targetPort: "Port of the model servers.",
  failureMode: "What the gateway does while the picker does not answer. Default FailClose.",
  metricsAuth: "Whether the picker's /metrics asks for a token. Default true.",
  export: "Exports the pool to the other clusters of its set.",
};

const inWords = (fields: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const description = descriptions[name];
      return [name, description === undefined ? field : field.describe(description)];
    }),
  );

const RoleObject = z
  .strictObject({
    ...inWords({ ...engineFields, ...routerFields }),
    name: z.string(),
    componentType: z.enum(componentTypes),
    replicas: z.int32().optional().describe("Independent instances. Default 1."),
    template: anything.optional().describe("Pod template of the engine."),
    strategy: z.enum(routingStrategies).optional().describe("How a request finds its pod."),
    endpointPickerConfig: z
      .string()
      .optional()
      .describe("The picker's configuration as YAML text, in place of a strategy."),
    httproute: anything.optional().describe("HTTPRoute spec."),
    gateway: anything.optional().describe("Gateway spec."),
  })
  .meta(
    validations(
      ...forRoutersOnly.map((field) => ({
        rule: `!has(self.${field}) || self.componentType == 'router'`,
        message: `${field} is only for a router`,
      })),
      ...notForRouters.map((field) => ({
        rule: `!has(self.${field}) || self.componentType != 'router'`,
        message: `${field} is not for a router`,
      })),
      {
        rule: "!has(self.minReplicas) || (has(self.replicas) ? self.replicas == 0 || self.minReplicas <= self.replicas : self.minReplicas == 1)",
        message: "minReplicas is at most replicas, which is 1 if not given",
      },
    ),
  );

const { models, rewrites, ...fields } = InferenceServiceSpec.shape;

export const InferenceServiceObjectSpec = z
  .strictObject({
    ...fieldsWithoutDefaults(fields),
    roles: z.array(RoleObject).min(1),
    schedulingStrategy: z
      .strictObject({
        ...fieldsWithoutDefaults(fields.schedulingStrategy.unwrap().shape),
        schedulerName: z.string().optional().describe("Of all pods of every role."),
      })
      .optional(),
    models: models.describe("Models that the pool serves; with them, any other is refused."),
    rewrites: rewrites.describe("Rules by which the pool rewrites models."),
  })
  .meta(
    validations(
      ...["models", "rewrites"].map((field) => ({
        rule: `!has(self.${field}) || self.roles.exists(r, r.componentType == 'router')`,
        message: `${field} needs a role of type router, whose picker reads it`,
      })),
    ),
  );
