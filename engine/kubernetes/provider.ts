import { isAlreadyExists, isForbidden, isNotFound } from "../../kubernetes/api/api-error.ts";
import { changedPaths } from "../changed-paths.ts";
import { getAt } from "../property-path.ts";
import {
  carrySecrets,
  containsUnknowns,
  type PropertyMap,
  withoutSecrets,
} from "../property-value.ts";
import type { Provider, ProviderLog, ReadResult } from "../provider.ts";
import { parseUrn } from "../urn.ts";
import type { ApiClient } from "./api-client.ts";
import { NoSuchKindError, UnreachableError } from "./api-error.ts";
import { awaitGone, awaitReady, lookupWith, timeoutSeconds } from "./await-object.ts";
import { builtinReadiness } from "./builtin-readiness.ts";
import { applyingManager, mayBeCreatedByPulumi } from "./field-managers.ts";
import { checkInputs, isPatch } from "./inputs-check.ts";
import { adoptedInputs, driftedInputs } from "./live-inputs.ts";
import {
  annotation,
  isCustomResourceDefinition,
  type KubernetesObject,
  kindOfType,
  objectId,
  parseObjectId,
  toObject,
  toProperties,
} from "./object.ts";
import {
  lastSeenObject,
  objectOutputs,
  previewOutputs,
  recordedManager,
} from "./object-outputs.ts";
import type { ReadyCondition } from "./object-status.ts";
import { ObjectWriter, type WriteOptions } from "./object-writer.ts";
import type { ProviderSettings } from "./provider-config.ts";
import { readyCondition } from "./readiness.ts";
import { isAutonamed, replacingPaths } from "./replace-paths.ts";
import { decodeYaml } from "./yaml-decode.ts";

/**
 * Largest assumed clock difference between this machine and the API server, when an interrupted create is searched
 * for.
 */
const CLOCK_SKEW_MILLISECONDS = 5 * 60_000;

export interface KubernetesProviderOptions {
  settings: ProviderSettings;
  /** Absent if no cluster is selected or known: then only previews work, without dry runs. */
  client: ApiClient | undefined;
}

type Requests = { [Method in keyof Provider]: Parameters<Provider[Method]>[0] };

/** Manages Kubernetes objects as the Pulumi Kubernetes provider does in its server-side apply mode. */
export class KubernetesProvider implements Provider {
  readonly #settings: ProviderSettings;
  readonly #connected: ApiClient | undefined;

  constructor({ settings, client }: KubernetesProviderOptions) {
    this.#settings = settings;
    this.#connected = client;
  }

  async check({ urn, oldInputs, newInputs, log }: Requests["check"]) {
    if (annotation(newInputs, "pulumi.com/replaceUnready") === "true") {
      log.warning("the annotation pulumi.com/replaceUnready has no effect with the local engine");
    }
    const isNamespaced = await this.#isNamespaced(urn);
    return checkInputs({
      urn,
      newInputs,
      ...(oldInputs && { oldInputs }),
      namespace: isNamespaced ? this.#settings.namespace : undefined,
    });
  }

  async diff({ urn, oldInputs, newInputs }: Requests["diff"]) {
    const changed = changedPaths(oldInputs, newInputs).map(({ path }) => path);
    const object = toObject(newInputs);
    const identity = changed.filter((path) => ["name", "namespace"].includes(String(path[1])));
    const replace = isPatch(urn, newInputs)
      ? identity.filter((path) => path[0] === "metadata")
      : replacingPaths(object, changed, this.#settings);
    const before = toObject(oldInputs).metadata;
    const { name, namespace } = object.metadata;
    const keepsName = name !== undefined && name === before.name && namespace === before.namespace;
    return {
      changed,
      replace,
      deleteBeforeReplace: replace.length > 0 && keepsName && !isAutonamed(object),
    };
  }

  async create({ urn, inputs, preview, timeoutSeconds: custom, log }: Requests["create"]) {
    const isPatchResource = isPatch(urn, inputs);
    const canTry = !isPatchResource && (await this.#canTryOut(urn, inputs));
    if (preview && !canTry) return { id: "", outputs: previewOutputs(inputs) };
    const object = toObject(inputs);
    const options = this.#writeOptions(urn, inputs, undefined, preview, log);
    const writer = new ObjectWriter(this.#client);
    try {
      const created = await (isPatchResource
        ? writer.patch(object, options)
        : writer.create(object, options));
      if (preview) return { id: "", outputs: previewed(created, inputs, options.manager) };
      if (isCustomResourceDefinition(object)) this.#client.forgetKinds();
      const { live, initErrors } = await this.#awaitReady(object, created, custom, log);
      const outputs = objectOutputs(live, inputs, options.manager);
      return { id: objectId(live), outputs, ...(initErrors && { initErrors }) };
    } catch (error) {
      if (preview && cannotBePreviewed(error)) return { id: "", outputs: previewOutputs(inputs) };
      throw error instanceof NoSuchKindError ? missingKind(urn, error) : error;
    }
  }

  async update(request: Requests["update"]) {
    const {
      urn,
      inputs,
      oldOutputs,
      ignoreChanges,
      preview,
      timeoutSeconds: custom,
      log,
    } = request;
    if (preview && !(await this.#canTryOut(urn, inputs)))
      return { outputs: previewOutputs(inputs) };
    const object = toObject(inputs);
    const formerManager = recordedManager(oldOutputs);
    const options = this.#writeOptions(urn, inputs, formerManager, preview, log);
    const writer = new ObjectWriter(this.#client);
    try {
      const updated = await writer.update(object, { ...options, ignoreChanges });
      if (preview) return { outputs: previewed(updated, inputs, options.manager) };
      if (formerManager !== undefined && formerManager !== options.manager) {
        await writer.relinquish(object, formerManager, log);
      }
      if (isCustomResourceDefinition(object)) this.#client.forgetKinds();
      const { live, initErrors } = await this.#awaitReady(object, updated, custom, log);
      const outputs = objectOutputs(live, inputs, options.manager);
      return { outputs, ...(initErrors && { initErrors }) };
    } catch (error) {
      if (preview && cannotBePreviewed(error)) return { outputs: previewOutputs(inputs) };
      throw error instanceof NoSuchKindError ? missingKind(urn, error) : error;
    }
  }

  async read({ urn, id, inputs, outputs }: Requests["read"]) {
    const { name, namespace } = parseObjectId(id);
    const { apiVersion, kind } = inputs ? toObject(inputs) : kindOfType(parseUrn(urn).type);
    const metadata = { name, ...(namespace && { namespace }) };
    const live = await new ObjectWriter(this.#client).read({ apiVersion, kind, metadata });
    return live && this.#readResult(urn, id, live, inputs, outputs, builtinReadiness);
  }

  async findInterruptedCreate({ urn, inputs, since }: Requests["findInterruptedCreate"]) {
    const object = toObject(inputs);
    const live = await new ObjectWriter(this.#client).read(object);
    if (live === undefined || !mayBeCreatedByPulumi(live)) return undefined;
    const createdAt = Date.parse(live.metadata.creationTimestamp ?? "");
    // An object that existed before the create began belongs to another owner, even if Pulumi created it.
    if (createdAt < since.getTime() - CLOCK_SKEW_MILLISECONDS) return undefined;
    return this.#readResult(urn, objectId(live), live, inputs, undefined, readyCondition);
  }

  async delete({ urn, id, inputs, outputs, timeoutSeconds: custom, log }: Requests["delete"]) {
    const { name, namespace } = parseObjectId(id);
    const object = toObject(inputs);
    const uid = getAt(withoutSecrets(outputs), ["metadata", "uid"]) as string | undefined;
    const metadata = {
      ...object.metadata,
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
    };
    const target: KubernetesObject = { ...object, metadata };
    const client = this.#client;
    const writer = new ObjectWriter(client);
    try {
      if (isPatch(urn, inputs)) {
        await writer.relinquish(target, recordedManager(outputs) ?? applyingManager(urn), log);
        return;
      }
      if ((await writer.delete(target)) === "gone") return;
      const path = await client.pathOf(target, name);
      await awaitGone(target, { client, path, seconds: timeoutSeconds(custom, object), log });
    } catch (error) {
      // All objects of a kind are deleted with the kind.
      if (!(error instanceof NoSuchKindError)) throw error;
    }
  }

  async invoke(token: string, args: PropertyMap): Promise<PropertyMap> {
    if (token !== "kubernetes:yaml:decode") {
      throw new Error(
        `function ${token} needs the provider's plugin; the local engine has kubernetes:yaml:decode`,
      );
    }
    const { text, defaultNamespace } = withoutSecrets(args);
    const objects = decodeYaml(String(text));
    if (!defaultNamespace) return { result: objects };
    const located = objects.map(async (object) => {
      const { apiVersion, kind, metadata = {} } = object;
      if (metadata.namespace || !(await this.#kindIsNamespaced(apiVersion, kind))) return object;
      return { ...object, metadata: { ...metadata, namespace: defaultNamespace } };
    });
    return { result: await Promise.all(located) };
  }

  get #client(): ApiClient {
    if (this.#connected !== undefined) return this.#connected;
    throw new Error(
      "no cluster is chosen; give the engine a kubeconfig, set kubernetes:kubeconfig in the stack's configuration, or pass a kubernetes.Provider with one",
    );
  }

  async #isNamespaced(urn: string): Promise<boolean> {
    const { apiVersion, kind } = kindOfType(parseUrn(urn).type);
    return this.#kindIsNamespaced(apiVersion, kind.replace(/Patch$/, ""));
  }

  /** An unserved kind probably has a CRD that is not created yet, and most of these kinds are namespaced. */
  async #kindIsNamespaced(apiVersion: string, kind: string): Promise<boolean> {
    if (CLUSTER_SCOPED.has(`${apiVersion}/${kind}`)) return false;
    try {
      return (await this.#connected?.addressOf(apiVersion, kind))?.namespaced ?? true;
    } catch (error) {
      if (error instanceof NoSuchKindError) return true;
      throw error;
    }
  }

  /** Whether a dry run on the server is possible for a preview. */
  async #canTryOut(urn: string, inputs: PropertyMap): Promise<boolean> {
    if (this.#connected === undefined || containsUnknowns(inputs)) return false;
    const { apiVersion, kind } = toObject(inputs);
    try {
      await this.#connected.addressOf(apiVersion, kind);
      return true;
    } catch (error) {
      if (error instanceof NoSuchKindError) return false;
      throw new Error(`${parseUrn(urn).name}: ${(error as Error).message}`, { cause: error });
    }
  }

  #writeOptions(
    urn: string,
    inputs: PropertyMap,
    formerManager: string | undefined,
    preview: boolean,
    log: ProviderLog,
  ): WriteOptions {
    const force =
      annotation(inputs, "pulumi.com/patchForce") === "true" || this.#settings.enablePatchForce;
    const manager =
      annotation(inputs, "pulumi.com/patchFieldManager") ?? formerManager ?? applyingManager(urn);
    return { manager, preview, force, log };
  }

  async #awaitReady(
    inputs: KubernetesObject,
    written: KubernetesObject,
    custom: number | undefined,
    log: ProviderLog,
  ): Promise<{ live: KubernetesObject; initErrors?: string[] }> {
    const condition = readyCondition(inputs);
    if (condition === undefined) return { live: written };
    const client = this.#client;
    const path = await client.pathOf(written, written.metadata.name);
    return awaitReady(written, condition, {
      client,
      path,
      seconds: timeoutSeconds(custom, inputs),
      log,
    });
  }

  async #readResult(
    urn: string,
    id: string,
    live: KubernetesObject,
    oldInputs: PropertyMap | undefined,
    oldOutputs: PropertyMap | undefined,
    conditionFor: (inputs: KubernetesObject) => ReadyCondition | undefined,
  ): Promise<ReadResult> {
    const seen = toProperties(live);
    const lastSeen = oldOutputs ? lastSeenObject(oldOutputs) : seen;
    const inputs = oldInputs
      ? carrySecrets(driftedInputs(withoutSecrets(oldInputs), lastSeen, seen), oldInputs)
      : adoptedInputs(live);
    const skips = annotation(inputs, "pulumi.com/skipAwait") === "true";
    const condition = oldInputs && !skips ? conditionFor(toObject(inputs)) : undefined;
    const readiness = await condition?.(live, lookupWith(this.#client));
    const manager = (oldOutputs && recordedManager(oldOutputs)) ?? applyingManager(urn);
    const outputs = objectOutputs(live, inputs, manager);
    const isUnready = readiness !== undefined && !readiness.ready;
    return {
      id,
      inputs,
      outputs,
      ...(isUnready && { initErrors: [`waiting for ${readiness.waitingFor}`] }),
    };
  }
}

// Known without a request, so that a preview without a cluster sets no namespace for them.
const CLUSTER_SCOPED = new Set([
  ...["v1/Namespace", "v1/Node", "v1/PersistentVolume", "storage.k8s.io/v1/StorageClass"],
  ...[
    "rbac.authorization.k8s.io/v1/ClusterRole",
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  ],
  ...["apiextensions.k8s.io/v1/CustomResourceDefinition", "scheduling.k8s.io/v1/PriorityClass"],
  ...["networking.k8s.io/v1/IngressClass", "gateway.networking.k8s.io/v1/GatewayClass"],
  ...[
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
  ].map((kind) => `admissionregistration.k8s.io/v1/${kind}`),
]);

/** A dry run returns an empty status, which a program must not use as the real one. */
function previewed(object: KubernetesObject, inputs: PropertyMap, manager: string): PropertyMap {
  const { status: _empty, ...rest } = object;
  return objectOutputs(rest as KubernetesObject, inputs, manager);
}

/** Whether a dry run failed for a reason that an update would not have. */
function cannotBePreviewed(error: unknown): boolean {
  if (error instanceof UnreachableError) return false;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  // The object will be replaced, or the namespace is not created yet.
  if (isAlreadyExists(cause) || isNotFound(cause) || isForbidden(cause)) return true;
  return cause instanceof Error && cause.message.includes("does not support dry run");
}

function missingKind(urn: string, error: NoSuchKindError): Error {
  return new Error(
    `${parseUrn(urn).name}: the API server does not serve this kind: ${error.message}. Verify that any required CRDs have been created, and add dependsOn if this program creates them`,
    { cause: error },
  );
}
