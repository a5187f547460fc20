import { apiextensions, rbac, type types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { CustomResourceDefinition } from "../sdk/crds/custom-resource-definition.ts";
import { ownCrds } from "../sdk/crds/own-kinds.ts";
import { type ClusterRole, personaRoles } from "../sdk/crds/personas.ts";
import { label, manager } from "../sdk/topology/names.ts";
import { isComponent } from "./component-resource.ts";
import { noteDefinitions } from "./crds-in-program.ts";
import type { ExistingCrd } from "./existing-crds.ts";

export interface InferenceCrdsArgs {
  /**
   * What the cluster has of these definitions, from `readCrds`. One without the label
   * `app.kubernetes.io/managed-by: pulumi-inference` is somebody else's and is left alone; the others are brought to
   * this version, whichever stack applied them. Default: unknown, and the API server refuses to change fields that
   * others have set.
   */
  existing?: ExistingCrd[];
  /** Whether the ClusterRoles `inference-platform-admin` and `llm-service-owner` are made. Default true. */
  personas?: boolean;
}

/** The resources of InferenceCrds, by what they are for. */
export interface InferenceCrdsNodes {
  /** The definitions that are applied. */
  readonly definitions: readonly apiextensions.v1.CustomResourceDefinitionPatch[];
  /** The ClusterRoles of administrators and owners of models, with `personas`. */
  readonly personas: readonly rbac.v1.ClusterRole[];
}

/** Not a member: every property of a component becomes an output in the packages of other languages. */
const nodes = new WeakMap<InferenceCrds, InferenceCrdsNodes>();

/** A definition that is left as it is. */
export interface SkippedCrd {
  name: string;
  /** Why, and what the cluster serves. */
  reason: string;
}

/**
 * The CustomResourceDefinitions of this project's kinds (InferenceService, LLMServerPool, LLMService and
 * InferencePoolImport) and of InferenceModelRewrite and InferenceObjective in each version that components may plan,
 * and ClusterRoles for those who administer pools and for those who serve models on them.
 *
 * Objects of these kinds that come later in the program, with the same provider, wait for them: one stack holds both.
 * Where llm-d is installed, its own definitions stay as they are; see `existing`.
 *
 * Definitions stay when the stack or the component goes, since every object of their kinds goes with them:
 * `kubectl delete crd -l app.kubernetes.io/managed-by=pulumi-inference` removes them for good.
 *
 * ```ts
 * new InferenceCrds("crds", { existing: await readCrds() });
 * const pool = new LLMServerPool("llama", args);
 * ```
 */
export class InferenceCrds extends pulumi.ComponentResource {
  static readonly __pulumiType = "inference:index:InferenceCrds";

  /** Names of the definitions that are applied. */
  declare readonly installed: pulumi.Output<string[]>;
  /** Definitions of the same name that others have made. */
  declare readonly skipped: pulumi.Output<SkippedCrd[]>;

  /** Whether a value is an InferenceCrds, whichever copy of this package made it. */
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
    super(InferenceCrds.__pulumiType, name, { personas }, opts);

    const skipped = (existing ?? []).filter(isOfOthers).map(skippedCrd);
    for (const { reason } of skipped) void pulumi.log.warn(reason, this);
    const crds = ownCrds().filter(({ metadata }) => !skipped.some((s) => s.name === metadata.name));
    const definitions = crds.map((crd) => applyCrd(this, name, crd, existing !== undefined));
    noteDefinitions(this, definitions);
    const roles = personas ? personaRoles().map((role) => makePersona(this, name, role)) : [];
    nodes.set(this, { definitions, personas: roles });

    const outputs = {
      installed: pulumi.output(crds.map(({ metadata }) => metadata.name)),
      skipped: pulumi.output(skipped),
    };
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }

  /** The resources of the component. One that is only referred to has none. */
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

/**
 * A Patch resource applies a definition whether or not it is there: one that outlived its stack is taken up again.
 *
 * @param isKnown whether what the cluster has was looked at, and is this project's to change
 */
function applyCrd(
  parent: pulumi.Resource,
  component: string,
  { apiVersion: _apiVersion, kind: _kind, metadata, spec }: CustomResourceDefinition,
  isKnown: boolean,
): apiextensions.v1.CustomResourceDefinitionPatch {
  const annotations = {
    "pulumi.com/waitFor": "condition=Established",
    ...(isKnown && { "pulumi.com/patchForce": "true" }),
  };
  return new apiextensions.v1.CustomResourceDefinitionPatch(
    `${component}-${metadata.name}`,
    {
      metadata: { ...metadata, annotations },
      spec: spec as unknown as types.input.apiextensions.v1.CustomResourceDefinitionSpecPatch,
    },
    { parent, retainOnDelete: true },
  );
}

function makePersona(
  parent: pulumi.Resource,
  component: string,
  { metadata, rules }: ClusterRole,
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
    { parent, deleteBeforeReplace: true },
  );
}
