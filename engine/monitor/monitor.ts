import type { Deployment } from "../deployment.ts";
import type { PropertyMap } from "../property-value.ts";
import { withProviderVersion } from "../provider-registry.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { isProviderType, packageOf, ROOT_STACK_TYPE } from "../urn.ts";
import { ResourceHooks } from "./hooks.ts";
import { Inheritance } from "./inheritance.ts";
import { empty, fromStruct, resource, toStruct } from "./protos.ts";
import { goalOf, readRegistration, readSourcePosition, unsupported } from "./registration.ts";
import { type Callback, Callbacks, transformed } from "./transforms.ts";

/** An operation on a stack. */
export interface Operation {
  project: string;
  stack: string;
  organization: string;
  preview: boolean;
  parallel: number;
  config: Readonly<Record<string, string>>;
  secretKeys: readonly string[];
}

export interface MonitorOptions extends Operation {
  deployment: Deployment;
  snapshot: Snapshot;
}

type Request<Name extends keyof typeof resource> = (typeof resource)[Name] extends new () => infer T
  ? T
  : never;

const {
  // These would change the format of values, for messages that the engine does not use.
  RESOURCE_MONITOR_FEATURE_BYTE_STRING: _bytes,
  RESOURCE_MONITOR_FEATURE_INVOKE_OUTPUT_VALUES: _invokeOutputs,
  RESOURCE_MONITOR_FEATURE_CALL_OUTPUT_VALUES: _callOutputs,
  // If a feature is missing, the SDK reports an old CLI. So all others are declared as supported, and the engine
  // refuses them with a message of its own.
  ...features
} = resource.ResourceMonitorFeature;

/** The ResourceMonitor service: translates the requests of a program for the engine. */
export class Monitor {
  readonly #options: MonitorOptions;
  readonly #inheritance = new Inheritance();
  readonly #callbacks = new Callbacks();
  readonly #hooks: ResourceHooks;
  readonly #stackTransforms: Callback[] = [];
  /** Outputs of the stack, once they are registered. */
  stackOutputs: PropertyMap | undefined;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#hooks = new ResourceHooks(this.#callbacks, options.preview);
  }

  close(): void {
    this.#callbacks.close();
  }

  getDeploymentInfo() {
    const { project, stack, organization, preview, parallel, config, secretKeys } = this.#options;
    const info = new resource.DeploymentInfo();
    info.setProject(project);
    info.setStack(stack);
    info.setOrganization(organization);
    info.setDryrun(preview);
    info.setParallel(parallel);
    for (const [key, value] of Object.entries(config)) info.getConfigMap().set(key, value);
    info.setConfigsecretkeysList([...secretKeys]);
    info.setSupportedfeaturesList(Object.values(features).filter((f) => typeof f === "number"));
    return info;
  }

  supportsFeature() {
    const response = new resource.SupportsFeatureResponse();
    response.setHassupport(true);
    return response;
  }

  async registerResource(request: Request<"RegisterResourceRequest">) {
    const { deployment } = this.#options;
    const given = readRegistration(request);
    this.#inheritance.apply(given);
    const own = request.getTransformsList();
    const outer = [...this.#inheritance.transformsAbove(given.parent), ...this.#stackTransforms];
    const registration = await transformed(given, own, outer, this.#callbacks);
    this.#inheritance.addProviders(registration);
    const { type, custom, options } = registration;
    const inherited = options.getProvider();
    const needsProvider = custom && !isProviderType(type);
    const provider = needsProvider
      ? await this.#providerOf(type, inherited, options.getVersion())
      : "";
    const warn = (message: string) => deployment.warn(message);
    const hooks = this.#hooks.of(`${type} ${JSON.stringify(registration.name)}`, options, warn);
    const goal = goalOf(registration, provider, hooks);
    if (isProviderType(type)) goal.inputs = withProviderVersion(goal.inputs, options.getVersion());
    const { urn, id, outputs, failed } = await deployment.register(goal);
    this.#inheritance.remember(urn, registration, custom ? provider : inherited, own);

    const response = new resource.RegisterResourceResponse();
    response.setUrn(urn);
    response.setId(id);
    // The outputs of a component may refer to resources that are not registered yet.
    response.setObject(toStruct(custom ? outputs : {}));
    response.setResult(failed ? resource.Result.FAIL : resource.Result.SUCCESS);
    return response;
  }

  async registerResourceOutputs(request: Request<"RegisterResourceOutputsRequest">) {
    const urn = request.getUrn();
    const outputs = fromStruct(request.getOutputs());
    if (this.#options.snapshot.get(urn)?.type === ROOT_STACK_TYPE) this.stackOutputs = outputs;
    await this.#options.deployment.registerOutputs(urn, outputs);
    return empty();
  }

  async readResource(request: Request<"ReadResourceRequest">) {
    const { deployment } = this.#options;
    const type = request.getType();
    const { urn, outputs, failed } = await deployment.read({
      type,
      name: request.getName(),
      parent: request.getParent(),
      id: request.getId(),
      inputs: fromStruct(request.getProperties()),
      dependencies: request.getDependenciesList(),
      provider: await this.#providerOf(type, request.getProvider(), request.getVersion()),
      additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
      sourcePosition: readSourcePosition(request.getSourceposition()),
    });
    const response = new resource.ReadResourceResponse();
    response.setUrn(urn);
    response.setProperties(toStruct(outputs));
    response.setResult(failed ? resource.Result.FAIL : resource.Result.SUCCESS);
    return response;
  }

  async invoke(request: Request<"ResourceInvokeRequest">) {
    const token = request.getTok();
    const args = fromStruct(request.getArgs());
    const response = new resource.ResourceInvokeResponse();
    response.setReturn(toStruct(await this.#invoke(token, args, request)));
    return response;
  }

  call(request: Request<"ResourceCallRequest">): never {
    throw unsupported(`method ${request.getTok()}`, "methods of remote components");
  }

  existsResource(request: Request<"ExistsResourceRequest">): never {
    throw unsupported(`${request.getType()} ${request.getId()}`, "exists");
  }

  registerStackTransform(callback: Callback) {
    this.#stackTransforms.push(callback);
    return empty();
  }

  registerStackInvokeTransform(): never {
    throw unsupported("the program", "invoke transforms");
  }

  registerResourceHook(request: Request<"RegisterResourceHookRequest">) {
    this.#hooks.register(request);
    return empty();
  }

  registerErrorHook(request: Request<"RegisterErrorHookRequest">): never {
    throw unsupported(`error hook ${JSON.stringify(request.getName())}`, "hooks of errors");
  }

  registerPackage(request: Request<"RegisterPackageRequest">): never {
    throw unsupported(`package ${request.getName()}`, "parameterized packages");
  }

  /** The program calls this after its last registration. */
  signalAndWaitForShutdown() {
    return empty();
  }

  async #providerOf(type: string, reference: string, version: string): Promise<string> {
    return reference !== ""
      ? reference
      : this.#options.deployment.defaultProvider(packageOf(type), version);
  }

  async #invoke(
    token: string,
    args: PropertyMap,
    request: Request<"ResourceInvokeRequest">,
  ): Promise<PropertyMap> {
    const { snapshot, deployment } = this.#options;
    if (token === "pulumi:pulumi:getResource") {
      const found = snapshot.get(String(args.urn));
      if (found === undefined) throw new Error(`resource ${String(args.urn)} is not in the stack`);
      return { urn: found.urn, id: found.id ?? "", state: found.outputs ?? {} };
    }
    const reference = await this.#providerOf(token, request.getProvider(), request.getVersion());
    return deployment.registry.providerFor(token, reference).invoke(token, args);
  }
}
