import { isNamespacedKind } from "../kubernetes-inputs.ts";
import { type PropertyMap, withoutSecrets } from "../property-value.ts";
import type { Recorder } from "../recorder.ts";
import { isProviderType, packageOf, parseUrn, ROOT_STACK_TYPE } from "../urn.ts";
import { decodeYaml } from "../yaml-decode.ts";
import { ResourceHooks } from "./hooks.ts";
import { Inheritance } from "./inheritance.ts";
import { empty, fromStruct, resource, toStruct } from "./protos.ts";
import { goalOf, readRegistration, unsupported } from "./registration.ts";
import { type Callback, Callbacks, transformed } from "./transforms.ts";

/** Settings of a run that the program can read. */
export interface RunSettings {
  project: string;
  stack: string;
  organization: string;
  config: Readonly<Record<string, string>>;
  secretKeys: readonly string[];
}

export interface MonitorOptions extends RunSettings {
  recorder: Recorder;
}

/** Number of registrations that the SDK sends at a time; the CLI's default. */
export const PARALLEL = 16;

type Request<Name extends keyof typeof resource> = (typeof resource)[Name] extends new () => infer T
  ? T
  : never;

const {
  // These would change the format of values, for messages that the engine does not use.
  RESOURCE_MONITOR_FEATURE_BYTE_STRING: _bytes,
  RESOURCE_MONITOR_FEATURE_INVOKE_OUTPUT_VALUES: _invokeOutputs,
  RESOURCE_MONITOR_FEATURE_CALL_OUTPUT_VALUES: _callOutputs,
  // If a feature is missing, the SDK reports an old CLI. So all others are declared as supported, and the recorder
  // refuses those that it lacks with a message of its own.
  ...features
} = resource.ResourceMonitorFeature;

/** The ResourceMonitor service: translates the requests of a program for the recorder, as a preview answers them. */
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
    this.#hooks = new ResourceHooks(this.#callbacks);
  }

  close(): void {
    this.#callbacks.close();
  }

  getDeploymentInfo() {
    const { project, stack, organization, config, secretKeys } = this.#options;
    const info = new resource.DeploymentInfo();
    info.setProject(project);
    info.setStack(stack);
    info.setOrganization(organization);
    info.setDryrun(true);
    info.setParallel(PARALLEL);
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
    const { recorder } = this.#options;
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
    const hooks = this.#hooks.of(options, (message) => recorder.warn(message));
    const goal = goalOf(registration, provider, hooks);
    const { urn, outputs, failed } = await recorder.register(goal);
    this.#inheritance.remember(urn, registration, custom ? provider : inherited, own);

    const response = new resource.RegisterResourceResponse();
    response.setUrn(urn);
    response.setObject(toStruct(outputs));
    response.setResult(failed ? resource.Result.FAIL : resource.Result.SUCCESS);
    return response;
  }

  registerResourceOutputs(request: Request<"RegisterResourceOutputsRequest">) {
    const outputs = fromStruct(request.getOutputs());
    if (parseUrn(request.getUrn()).type === ROOT_STACK_TYPE) this.stackOutputs = outputs;
    return empty();
  }

  readResource(request: Request<"ReadResourceRequest">) {
    const { urn, outputs } = this.#options.recorder.read({
      type: request.getType(),
      name: request.getName(),
      parent: request.getParent(),
      id: request.getId(),
    });
    const response = new resource.ReadResourceResponse();
    response.setUrn(urn);
    response.setProperties(toStruct(outputs));
    response.setResult(resource.Result.SUCCESS);
    return response;
  }

  invoke(request: Request<"ResourceInvokeRequest">) {
    const response = new resource.ResourceInvokeResponse();
    response.setReturn(toStruct(this.#invoke(request.getTok(), fromStruct(request.getArgs()))));
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

  /** No step of a preview fails after it has begun, so these hooks never run. */
  registerErrorHook() {
    return empty();
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
      : this.#options.recorder.defaultProvider(packageOf(type), version);
  }

  #invoke(token: string, args: PropertyMap): PropertyMap {
    if (token === "pulumi:pulumi:getResource") {
      const urn = String(args.urn);
      const outputs = this.#options.recorder.outputsOf(urn);
      if (outputs === undefined) throw new Error(`resource ${urn} is not in the stack`);
      return { urn, id: "", state: outputs };
    }
    if (token !== "kubernetes:yaml:decode")
      throw new Error(
        `function ${token} needs the plugin of its provider, and only the Pulumi CLI runs plugins; this program runs without it`,
      );
    const { text, defaultNamespace } = withoutSecrets(args);
    const objects = decodeYaml(String(text));
    if (!defaultNamespace) return { result: objects };
    return {
      result: objects.map(({ apiVersion, kind, metadata = {}, ...rest }) =>
        metadata.namespace || !isNamespacedKind(apiVersion, kind)
          ? { apiVersion, kind, metadata, ...rest }
          : { apiVersion, kind, metadata: { ...metadata, namespace: defaultNamespace }, ...rest },
      ),
    };
  }
}
