import { z } from "zod";
import { validations } from "../kubernetes/validation-rules.ts";
import { Export, exportModes, exportServiceTypes } from "../spec/export.ts";
import { gangLayouts, InferenceServiceSpec, workloadModes } from "../spec/inference-service.ts";
import { PodPluginEntry, podPluginTypes } from "../spec/pod-plugin.ts";
import { componentTypes, executors, failureModes, Role, routingStrategies } from "../spec/role.ts";

/**
 * The InferenceService that an API server keeps. FusionInfer's operator has objects of this kind too, so that a
 * field of the design is held to no more than its schema there, and nothing is filled in: what the design's schema
 * takes stays valid, and reads back as written. Fields of this project are checked.
 */

const [{ shape: worker }, , , { shape: router }] = Role.options;

const anything = z.looseObject({});
const multinode = worker.multinode.unwrap().shape;

const exported = Export.shape;

const forRoutersOnly = ["image", "resources", "targetPort", "failureMode", "metricsAuth", "export"];

const podPlugin = PodPluginEntry.shape;
const { roles, target } = podPlugin.scope.unwrap().shape;
const webhook = podPlugin.webhook.unwrap().shape;

const PodPluginsObject = z.array(
  z.strictObject({
    name: podPlugin.name.describe("Of a built-in plugin or of a program's own."),
    type: z.enum(podPluginTypes).optional().describe("Default BuiltIn."),
    config: podPlugin.config.describe("By the plugin's own schema."),
    scope: z
      .strictObject({
        roles: roles.describe("Roles whose pods the plugin sees. Default all."),
        target: target.unwrap().optional().describe("Leaders, the others, or both. Default All."),
      })
      .optional(),
    webhook: z
      .strictObject({
        url: webhook.url.describe("HTTPS address that takes hook requests."),
        hooks: webhook.hooks.unwrap().optional().describe("Default OnPodCreate."),
        failurePolicy: webhook.failurePolicy.unwrap().optional().describe("Default Fail."),
        timeoutSeconds: webhook.timeoutSeconds
          .unwrap()
          .optional()
          .describe("Of a call. Default 3."),
        caBundle: webhook.caBundle.describe("PEM certificates that sign the endpoint's."),
      })
      .optional()
      .describe("Only for type Webhook."),
  }),
);

const RoleObject = z
  .strictObject({
    name: z.string(),
    componentType: z.enum(componentTypes),
    replicas: z.int32().optional().describe("Independent instances. Default 1."),
    minReplicas: worker.minReplicas.describe(
      "Replicas that start together with the other roles' minimum. Default 1.",
    ),
    multinode: z
      .strictObject({
        nodeCount: multinode.nodeCount.describe("Pods of one replica."),
        executor: z
          .enum(executors)
          .optional()
          .describe(
            "How the pods of a replica form one engine. Default sglang where the template starts SGLang, else ray.",
          ),
        distinctNodes: z
          .boolean()
          .optional()
          .describe("Whether the pods of a replica must run on different nodes. Default false."),
      })
      .optional(),
    plugins: PodPluginsObject.optional().describe("Pod plugins of this role alone."),
    template: anything.optional().describe("Pod template of the engine."),
    strategy: z.enum(routingStrategies).optional().describe("How a request finds its pod."),
    endpointPickerConfig: z
      .string()
      .optional()
      .describe("The picker's configuration as YAML text, in place of a strategy."),
    httproute: anything.optional().describe("HTTPRoute spec."),
    gateway: anything.optional().describe("Gateway spec."),
    resources: router.resources.describe("Of the endpoint picker's container."),
    image: router.image.describe("Of the endpoint picker."),
    targetPort: router.targetPort.describe("Port of the model servers."),
    failureMode: z
      .enum(failureModes)
      .optional()
      .describe("What the gateway does while the picker does not answer. Default FailClose."),
    metricsAuth: z
      .boolean()
      .optional()
      .describe("Whether the picker's /metrics asks for a token. Default false."),
    export: z
      .strictObject({
        mode: z.enum(exportModes).optional().describe("Default EndpointMode."),
        serviceType: z.enum(exportServiceTypes).optional().describe("Default ClusterIP."),
        serviceAnnotations: exported.serviceAnnotations.unwrap().optional(),
        allowedNetworks: exported.allowedNetworks.unwrap().optional(),
      })
      .optional()
      .describe("Exports the pool to the other clusters of its set."),
  })
  .meta(
    validations(
      ...forRoutersOnly.map((field) => ({
        rule: `!has(self.${field}) || self.componentType == 'router'`,
        message: `${field} is only for a router`,
      })),
      ...["minReplicas", "plugins"].map((field) => ({
        rule: `!has(self.${field}) || self.componentType != 'router'`,
        message: `${field} is not for a router`,
      })),
      {
        rule: "!has(self.minReplicas) || (has(self.replicas) ? self.replicas == 0 || self.minReplicas <= self.replicas : self.minReplicas == 1)",
        message: "minReplicas is at most replicas, which is 1 if not given",
      },
    ),
  );

const { models, rewrites } = InferenceServiceSpec.shape;

export const InferenceServiceObjectSpec = z
  .strictObject({
    roles: z.array(RoleObject).min(1),
    workload: z
      .enum(workloadModes)
      .optional()
      .describe("How many LeaderWorkerSets a role has. Default auto."),
    schedulingStrategy: z
      .strictObject({
        schedulerName: z.string().optional().describe("Of all pods of every role."),
        queue: z.string().min(1).optional().describe("Volcano queue."),
        priorityClassName: z.string().min(1).optional().describe("Of PodGroup and pods."),
        gang: z
          .strictObject({
            layout: z
              .enum(gangLayouts)
              .optional()
              .describe("What starts together or not at all. Default subGroup."),
          })
          .optional(),
      })
      .optional(),
    plugins: PodPluginsObject.optional().describe("What customises the pods, in order."),
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
