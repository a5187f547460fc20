import { messageOf } from "../kubernetes/values/records.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Goal, ReadGoal } from "./goal.ts";
import { completeInputs, knownOutputs } from "./kubernetes-inputs.ts";
import {
  containsSecrets,
  mapMap,
  type PropertyMap,
  secret,
  UNKNOWN,
  withoutSecrets,
} from "./property-value.ts";
import type { Analyzer, RecordedResource } from "./recorded-resource.ts";
import { createUrn, isProviderType, packageOf, parseUrn, providerType } from "./urn.ts";

export const STACK_REFERENCE = "pulumi:pulumi:StackReference";

export interface RecorderOptions {
  project: string;
  stack: string;
  /** Configuration of each package's default provider. */
  packageConfig: (packageName: string) => PropertyMap;
  /** Outputs of other stacks, by the name in the StackReference. */
  references: Readonly<Record<string, PropertyMap>>;
  analyzer: Analyzer | undefined;
  report: (diagnostic: Diagnostic) => void;
}

export interface Registered {
  urn: string;
  /** The outputs that a preview knows. */
  outputs: PropertyMap;
  failed: boolean;
}

/** Records the resources that a program registers, as a preview of a new stack plans them. */
export class Recorder {
  /** In the order of registration. */
  readonly resources: RecordedResource[] = [];
  readonly #options: RecorderOptions;
  readonly #claimed = new Set<string>();
  readonly #outputs = new Map<string, PropertyMap>();
  /** Namespace of objects that set no namespace, by the URN of their provider. */
  readonly #namespaces = new Map<string, string>();
  readonly #defaultProviders = new Map<string, Promise<string>>();
  #failed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get failed(): boolean {
    return this.#failed;
  }

  warn(message: string): void {
    this.#options.report({ severity: "warning", message });
  }

  /** Records a resource. A resource that is refused is reported, and `failed`. */
  async register(goal: Goal): Promise<Registered> {
    const urn = this.#claim(goal);
    try {
      return { urn, outputs: await this.#record(urn, goal), failed: false };
    } catch (error) {
      this.#failed = true;
      this.#options.report({ severity: "error", message: messageOf(error), urn });
      return { urn, outputs: {}, failed: true };
    }
  }

  /** Returns the known values of an object or a stack that the program only reads: none, but for a given stack. */
  read(goal: ReadGoal): Registered {
    const urn = this.#claim(goal);
    const { type, id } = goal;
    const outputs = type === STACK_REFERENCE ? this.#reference(id) : {};
    this.#outputs.set(urn, outputs);
    return { urn, outputs, failed: false };
  }

  /** Returns the known outputs of a resource; undefined for one that is not registered. */
  outputsOf(urn: string): PropertyMap | undefined {
    return this.#outputs.get(urn);
  }

  /** Returns the reference of a package's default provider, which is registered when it is first needed. */
  defaultProvider(packageName: string, version: string): Promise<string> {
    const name = version === "" ? "default" : `default_${version.replaceAll(".", "_")}`;
    const key = `${packageName} ${name}`;
    const known = this.#defaultProviders.get(key) ?? this.#registerDefault(packageName, name);
    this.#defaultProviders.set(key, known);
    return known;
  }

  /** Checks the stack by its policies, after the program. */
  async finish(): Promise<void> {
    if (this.#failed) return;
    const resources = this.resources.map((each) => ({
      ...each,
      properties: this.#outputs.get(each.urn) ?? {},
    }));
    for (const diagnostic of (await this.#options.analyzer?.analyzeStack?.(resources)) ?? []) {
      this.#options.report(diagnostic);
      this.#failed ||= diagnostic.severity === "error";
    }
  }

  async #record(urn: string, goal: Goal): Promise<PropertyMap> {
    const { type, name, runHooks } = goal;
    const resource = await this.#remediated(recordOf(urn, goal, this.#completed(goal)));
    const inputs = resource.properties;
    const args = { urn, id: "", name, type, newInputs: inputs };
    await runHooks?.("beforeCreate", args);
    this.resources.push(resource);
    if (isProviderType(type)) this.#namespaces.set(urn, namespaceOf(inputs));
    // The outputs of a component are only known when it registers them.
    if (!goal.custom) return {};
    const known = goal.type.startsWith("kubernetes:") ? knownOutputs(inputs) : inputs;
    const hidden = new Set(goal.additionalSecretOutputs);
    const outputs = mapMap(known, (value, key) => (hidden.has(key) ? secret(value) : value));
    this.#outputs.set(urn, outputs);
    await runHooks?.("afterCreate", { ...args, newOutputs: outputs });
    return outputs;
  }

  #completed({ type, name, inputs, provider }: Goal): PropertyMap {
    if (packageOf(type) !== "kubernetes" || isProviderType(type)) return inputs;
    const namespace = this.#namespaces.get(provider.slice(0, provider.lastIndexOf("::")));
    return completeInputs({ type, name, inputs, namespace: namespace ?? "default" });
  }

  /** @throws Error with the messages of all violations that are errors */
  async #remediated(resource: RecordedResource): Promise<RecordedResource> {
    const { analyzer, report } = this.#options;
    const properties = (await analyzer?.remediate?.(resource)) ?? resource.properties;
    const remediated = { ...resource, properties };
    const diagnostics = (await analyzer?.analyze?.(remediated)) ?? [];
    const [errors, others] = [true, false].map((is) =>
      diagnostics.filter(({ severity }) => (severity === "error") === is),
    ) as [Diagnostic[], Diagnostic[]];
    for (const each of others) report(each);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
    return remediated;
  }

  #reference(id: string): PropertyMap {
    const outputs = this.#options.references[id];
    if (outputs === undefined) return {};
    const secretOutputNames = Object.keys(outputs).filter((key) => containsSecrets(outputs[key]));
    return { name: id, outputs, secretOutputNames };
  }

  /** @throws Error for the second resource of one URN */
  #claim({ type, name, parent }: Pick<Goal, "type" | "name" | "parent">): string {
    const { project, stack } = this.#options;
    const urn = createUrn(stack, project, parent, type, name);
    if (this.#claimed.has(urn))
      throw new Error(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    this.#claimed.add(urn);
    return urn;
  }

  async #registerDefault(packageName: string, name: string): Promise<string> {
    const { urn, failed } = await this.register({
      type: providerType(packageName),
      name,
      custom: true,
      parent: "",
      provider: "",
      inputs: this.#options.packageConfig(packageName),
      dependencies: [],
      propertyDependencies: {},
      additionalSecretOutputs: [],
    });
    if (failed)
      throw new Error(`${urn} failed, so the resources that use it as their provider fail too`);
    return `${urn}::${UNKNOWN}`;
  }
}

function recordOf(urn: string, goal: Goal, properties: PropertyMap): RecordedResource {
  const { type, parent, provider, dependencies, propertyDependencies } = goal;
  return {
    ...{ urn, type, name: parseUrn(urn).name, parent, properties },
    ...{ dependencies, propertyDependencies },
    ...(provider !== "" && { provider }),
  };
}

/** Returns the namespace in the configuration of a provider, which may be unknown. */
function namespaceOf(inputs: PropertyMap): string {
  const { namespace } = withoutSecrets(inputs);
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}
