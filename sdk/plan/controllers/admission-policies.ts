import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  annotation,
  guardName,
  label,
  podPluginConfigurationName,
  podPluginSecretName,
  podPluginWebhookName,
  statusControllerName,
} from "../../names.ts";
import { recycledTypes } from "../../topology/recycling.ts";
import { clusterObjectMeta, type PlanContext } from "../object-meta.ts";

/**
 * A ValidatingAdmissionPolicy that narrows a role. RBAC cannot restrict fields, labels or parts of names, so some roles
 * permit more than the program does. Each policy applies to one ServiceAccount. Requires Kubernetes 1.30 or later.
 */
interface Guard {
  /** Name of the guarded resource; becomes part of the policy's name. */
  readonly what: string;
  readonly group: string;
  readonly resource: string;
  readonly operations: ReadonlyArray<"CREATE" | "UPDATE" | "DELETE">;
  readonly validations: ReadonlyArray<{ readonly expression: string; readonly message: string }>;
}

const apiVersion = `${groups.admissionRegistration}/v1`;

/** Returns the policies of a program and their bindings. */
function planGuards(context: PlanContext, program: string, guards: readonly Guard[]): Manifest[] {
  const username = `system:serviceaccount:${context.metadata.namespace}:${program}`;
  return guards.flatMap(({ what, group, resource, operations, validations }): Manifest[] => {
    const metadata = clusterObjectMeta(context, guardName(program, what));
    return [
      {
        apiVersion,
        kind: "ValidatingAdmissionPolicy",
        metadata,
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            matchPolicy: "Equivalent",
            resourceRules: [
              {
                apiGroups: [group],
                apiVersions: ["v1"],
                operations,
                resources: [resource],
                scope: "*",
              },
            ],
          },
          matchConditions: [
            { name: "by-the-program", expression: `request.userInfo.username == '${username}'` },
          ],
          validations,
        },
      },
      {
        apiVersion,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata,
        spec: { policyName: metadata.name, validationActions: ["Deny"] },
      },
    ];
  });
}

/** Policies that limit which pods the status controller may delete: only pods that prefill or decode for a service. */
export const planRecyclingGuards = (context: PlanContext): Manifest[] =>
  planGuards(context, statusControllerName, [
    {
      what: "pods",
      group: "",
      resource: "pods",
      operations: ["DELETE"],
      validations: [
        {
          expression: allOf(
            "has(oldObject.metadata.labels)",
            `'${label.service}' in oldObject.metadata.labels`,
            `'${label.componentType}' in oldObject.metadata.labels`,
            `oldObject.metadata.labels['${label.componentType}'] in ${JSON.stringify(recycledTypes)}`,
          ),
          message: `only pods with the label ${label.service} whose ${label.componentType} is ${recycledTypes.join(" or ")}`,
        },
      ],
    },
  ]);

/** CEL expression that is true if a field is unchanged, including its presence. */
const same = (field: string, now = "object", before = "oldObject") =>
  `has(${now}.${field}) == has(${before}.${field}) && (!has(${now}.${field}) || ${now}.${field} == ${before}.${field})`;

const allOf = (...conditions: string[]) => conditions.map((each) => `(${each})`).join(" && ");

const annotationsOf = (object: string) =>
  `(has(${object}.metadata.annotations) ? ${object}.metadata.annotations : {})`;

/** CEL expression that is true if every annotation of `one` except `except` is also on `other`, with the same value. */
const annotationsIn = (one: string, other: string, except: string) =>
  `${annotationsOf(one)}.all(k, k == '${except}' || (k in ${annotationsOf(other)} && ${annotationsOf(other)}[k] == ${annotationsOf(one)}[k]))`;

const metadataIsKept = allOf(
  ...["labels", "ownerReferences", "finalizers"].map((field) => same(`metadata.${field}`)),
);

const webhookFields = [
  "admissionReviewVersions",
  "rules",
  "namespaceSelector",
  "objectSelector",
  "failurePolicy",
  "matchPolicy",
  "matchConditions",
  "reinvocationPolicy",
  "sideEffects",
  "timeoutSeconds",
  "clientConfig.service",
  "clientConfig.url",
];

/**
 * Policies that limit the writes of the webhook for pod plugins: one annotation on pods, the CA bundle of its
 * configuration, and its certificate.
 */
export const planWebhookGuards = (context: PlanContext): Manifest[] =>
  planGuards(context, podPluginWebhookName, [
    {
      what: "pods",
      group: "",
      resource: "pods/status",
      operations: ["UPDATE"],
      validations: [
        {
          expression: `has(oldObject.metadata.labels) && '${label.podPlugins}' in oldObject.metadata.labels`,
          message: `only pods with the label ${label.podPlugins}`,
        },
        {
          expression: allOf(
            same("status"),
            metadataIsKept,
            annotationsIn("object", "oldObject", annotation.readyHooks),
            annotationsIn("oldObject", "object", annotation.readyHooks),
          ),
          message: `only the annotation ${annotation.readyHooks}`,
        },
      ],
    },
    {
      what: "configuration",
      group: groups.admissionRegistration,
      resource: "mutatingwebhookconfigurations",
      operations: ["UPDATE"],
      validations: [
        {
          expression: `object.metadata.name == '${podPluginConfigurationName}'`,
          message: `only ${podPluginConfigurationName}`,
        },
        {
          expression: allOf(
            metadataIsKept,
            same("metadata.annotations"),
            "size(object.webhooks) == size(oldObject.webhooks)",
            `object.webhooks.all(w, oldObject.webhooks.exists(o, o.name == w.name && ${allOf(
              ...webhookFields.map((field) => same(field, "w", "o")),
            )}))`,
          ),
          message: "only clientConfig.caBundle",
        },
      ],
    },
    {
      what: "secrets",
      group: "",
      resource: "secrets",
      operations: ["CREATE"],
      validations: [
        {
          expression: `object.metadata.name == '${podPluginSecretName}' && object.type == 'kubernetes.io/tls'`,
          message: `only ${podPluginSecretName}, of type kubernetes.io/tls`,
        },
      ],
    },
  ]);
