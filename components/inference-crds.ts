import { type apiextensions, rbac } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { CustomResourceDefinition } from "../sdk/crds/custom-resource-definition.ts";
import { ownCrds } from "../sdk/crds/own-kinds.ts";
import { type ClusterRole, personaRoles } from "../sdk/crds/personas.ts";
import { label, manager } from "../sdk/names.ts";
import { handedOn, ownOptions } from "./child-options.ts";
import { isComponent } from "./component-resource.ts";
import { applyDefinition } from "./crds/applied-definition.ts";
import { noteDefinitions } from "./crds/crds-in-program.ts";
import type { ExistingCrd } from "./crds/existing-crds.ts";

export interface InferenceCrdsArgs {
  /**
   * Definitions that exist in the cluster, from `readCrds`. Definitions without the label
   * `app.kubernetes.io/managed-by: pulumi-inference` belong to another installer and are not changed; the others are
   * updated to this version, regardless of the stack that applied them. Default: unknown; the API server then rejects
   * changes of fields that another client has set.
   */
  existing?: ExistingCrd[];
  /** Whether to create the ClusterRoles `inference-platform-admin` and `llm-service-owner`. Default true. */
  personas?: boolean;
}

/** Resources of InferenceCrds, by purpose. */
export interface InferenceCrdsNodes {
  /** Applied definitions. */
  readonly definitions: readonly apiextensions.v1.CustomResourceDefinitionPatch[];
  /** ClusterRoles of pool administrators and model owners, if `personas` is true. */
  readonly personas: readonly rbac.v1.ClusterRole[];
}

/** Nodes of components. A property would become an output in the packages of other languages. */
const nodes = new WeakMap<InferenceCrds, InferenceCrdsNodes>();

/** Definition that is left unchanged. */
export interface SkippedCrd {
  /** Name, such as `llmservices.inference.x-k8s.io`. */
  name: string;
  /** Reason, and the versions that the cluster serves. */
  reason: string;
}

/**
 * CustomResourceDefinitions of this project's kinds (InferenceService, LLMServerPool, LLMService and
 * InferencePoolImport), and of InferenceModelRewrite and InferenceObjective in every version that components may use.
 * It also creates ClusterRoles for pool administrators and for teams that serve models on pools.
 *
 * Objects of these kinds that are created later in the program with the same provider wait for the definitions, so one
 * stack can contain both. If llm-d is installed, its definitions are left unchanged; see `existing`.
 *
 * Definitions are kept when the stack or the component is deleted, because deleting a definition deletes every object
 * of its kind. `kubectl delete crd -l app.kubernetes.io/managed-by=pulumi-inference` deletes them.
 *
 * ```ts
 * new InferenceCrds("crds", { existing: await readCrds() });
 * const pool = new LLMServerPool("llama", args);
 * ```
 */
export class InferenceCrds extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceCrds";

  /** Names of the applied definitions. */
  declare readonly installed: pulumi.Output<string[]>;
  /** Definitions with the same name that another installer has created. */
  declare readonly skipped: pulumi.Output<SkippedCrd[]>;

  /** Reports whether a value is an InferenceCrds, even if it was created by another copy of this package. */
  static override isInstance(value: unknown): value is InferenceCrds {
    return isComponent(value, InferenceCrds.__pulumiType);
  }

  constructor(
    name: string,
    args: InferenceCrdsArgs = {},
    opts: pulumi.ComponentResourceOptions = {},
  ) {
    if (opts.urn !== undefined) {
      super(InferenceCrds.__pulumiType, name, { installed: undefined, skipped: undefined }, opts);
      return;
    }
    const { existing, personas = true } = args;
    super(InferenceCrds.__pulumiType, name, { personas }, ownOptions(opts));

    const skipped = (existing ?? []).filter(isOfOthers).map(skippedCrd);
    for (const { reason } of skipped) void pulumi.log.warn(reason, this);
    const crds = ownCrds().filter(({ metadata }) => !skipped.some((s) => s.name === metadata.name));
    const optionsOf = (child: object) => ({ parent: this, ...handedOn(opts, child as Manifest) });
    const isKnown = existing !== undefined;
    const definitions = crds.map((crd) => applyCrd(name, crd, optionsOf(crd), isKnown));
    noteDefinitions(this, definitions);
    const roles = personas
      ? personaRoles().map((role) => makePersona(name, role, optionsOf(role)))
      : [];
    nodes.set(this, { definitions, personas: roles });

    const outputs = {
      installed: pulumi.output(crds.map(({ metadata }) => metadata.name)),
      skipped: pulumi.output(skipped),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** Resources of the component. Undefined for a component that was only referred to by its URN. */
  get nodes(): InferenceCrdsNodes {
    return nodes.get(this) ?? { definitions: [], personas: [] };
  }
}

const isOfOthers = ({ name, labels }: ExistingCrd) =>
  labels[label.managedBy] !== manager && ownCrds().some(({ metadata }) => metadata.name === name);

function skippedCrd({ name, servedVersions }: ExistingCrd): SkippedCrd {
  const serves = servedVersions.join(", ") || "no version";
  return {
    name,
    reason:
      `CustomResourceDefinition ${name} exists in the cluster without the label ${label.managedBy}: ${manager}, ` +
      `so it belongs to another owner and is not changed; it serves ${serves}. ` +
      "To let InferenceCrds manage it, add the label.",
  };
}

/** @param isKnown whether the cluster was read, and this project may change the definition */
function applyCrd(
  component: string,
  { metadata, spec }: CustomResourceDefinition,
  opts: pulumi.CustomResourceOptions,
  isKnown: boolean,
): apiextensions.v1.CustomResourceDefinitionPatch {
  const annotations: Record<string, string> = isKnown ? { "pulumi.com/patchForce": "true" } : {};
  const annotated = { metadata: { ...metadata, annotations }, spec };
  return applyDefinition(`${component}-${metadata.name}`, annotated, opts);
}

function makePersona(
  component: string,
  { metadata, rules }: ClusterRole,
  opts: pulumi.CustomResourceOptions,
): rbac.v1.ClusterRole {
  return new rbac.v1.ClusterRole(
    `${component}-${metadata.name}`,
    {
      metadata,
      rules: rules.map(({ apiGroups, resources, verbs }) => ({
        apiGroups: [...apiGroups],
        resources: [...resources],
        verbs: [...verbs],
      })),
    },
    { ...opts, deleteBeforeReplace: true },
  );
}
