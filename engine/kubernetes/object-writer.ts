import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isNotFound,
} from "../../kubernetes/api/api-error.ts";
import { applyPatchType } from "../../kubernetes/api/patch-types.ts";
import { parsePropertyPath } from "../../kubernetes/values/property-path.ts";
import { getAt, setAt } from "../property-path.ts";
import { OutcomeUnknownError, type ProviderLog } from "../provider.ts";
import type { ApiClient } from "./api-client.ts";
import { NoSuchKindError, UnreachableError } from "./api-error.ts";
import {
  CREATING_MANAGER,
  hasFieldsToTakeOver,
  isOwnedByOthers,
  takenOver,
} from "./field-managers.ts";
import { annotation, isCustomResourceDefinition, type KubernetesObject } from "./object.ts";

// Twelve seconds in total: a new CRD is served within a few seconds.
const CREATE_ATTEMPTS = 7;
const FIRST_PAUSE_MILLISECONDS = 200;
const JSON_PATCH = "application/json-patch+json";
const STRICT = { fieldValidation: "Strict" };

export interface WriteOptions {
  manager: string;
  preview: boolean;
  /** Whether to take over fields that other managers own. */
  force: boolean;
  log: ProviderLog;
}

/** The writes of the provider (create, apply, delete), with the same requests as the Pulumi provider's. */
export class ObjectWriter {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /**
   * Creates an object. An existing object is an error. If the kind or namespace is missing, it may be created soon, so
   * the request is repeated several times, with doubled pauses.
   */
  async create(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> {
    const query = { fieldManager: CREATING_MANAGER, ...STRICT, ...dryRun(options) };
    const send = async () =>
      this.#client.request("POST", await this.#client.pathOf(object), { query, body: object });
    try {
      return await this.#retried(send, options);
    } catch (error) {
      throw isAlreadyExists(error) ? alreadyExists(error, object) : outcomeOf(error);
    }
  }

  /** Sets fields of an object that may have another owner, or creates it: the write of a Patch resource. */
  async patch(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> {
    try {
      return await this.#retried(() => this.#apply(object, options), options);
    } catch (error) {
      throw outcomeOf(error);
    }
  }

  /** Updates an object to the given fields. Fields that are no longer given are removed. */
  async update(
    object: KubernetesObject,
    { ignoreChanges, ...options }: WriteOptions & { ignoreChanges: readonly string[] },
  ): Promise<KubernetesObject> {
    const { manager, preview, force } = options;
    const live = await this.read(object);
    if (live === undefined) {
      throw new Error(
        `${object.kind} ${object.metadata.name} is no longer in the cluster; run refresh, then up makes it again`,
      );
    }
    if (isCustomResourceDefinition(object)) return this.#replace(object, live, options);
    const owned = preview ? live : await this.#takeOver(live, manager);
    const desired = withoutIgnored(object, owned, ignoreChanges, manager);
    // A real update takes the fields over first; a preview, which cannot, must not fail because of that.
    const forced = force || (preview && hasFieldsToTakeOver(live));
    return this.#apply(desired, { ...options, force: forced });
  }

  /** Gives up the fields of a manager. Fields without another owner are removed. */
  async relinquish(object: KubernetesObject, manager: string, log: ProviderLog): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const identity = { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
    if ((await this.read(object)) === undefined) return;
    try {
      await this.#apply(identity as KubernetesObject, {
        manager,
        preview: false,
        force: false,
        log,
      });
    } catch (error) {
      const required =
        error instanceof ApiError && error.causes.find((c) => c.reason === "FieldValueRequired");
      if (!required) throw error;
      throw new Error(
        `this Patch resource manages ${required.field}, which the object cannot be without; set retainOnDelete or let another manager set the field first`,
      );
    }
  }

  async delete(object: KubernetesObject): Promise<"gone" | "going"> {
    const path = await this.#client.pathOf(object, object.metadata.name);
    try {
      await this.#client.request("DELETE", path, {
        body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation(object) },
      });
      return "going";
    } catch (error) {
      if (isNotFound(error)) return "gone";
      throw error;
    }
  }

  async read(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    try {
      return await this.#client.request(
        "GET",
        await this.#client.pathOf(object, object.metadata.name),
      );
    } catch (error) {
      if (isNotFound(error) || error instanceof NoSuchKindError) return undefined;
      throw error;
    }
  }

  async #apply(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject> {
    const { manager, force } = options;
    const query = { fieldManager: manager, force: String(force), ...STRICT, ...dryRun(options) };
    const path = await this.#client.pathOf(object, object.metadata.name);
    try {
      return await this.#client.request("PATCH", path, {
        query,
        body: object,
        contentType: applyPatchType,
      });
    } catch (error) {
      throw isConflict(error) ? applyConflict(error, object) : error;
    }
  }

  /** Replaces a CRD as a whole, so that removed versions and columns are removed. */
  async #replace(
    object: KubernetesObject,
    live: KubernetesObject,
    options: WriteOptions,
  ): Promise<KubernetesObject> {
    const { resourceVersion } = live.metadata;
    const query = { fieldManager: options.manager, ...STRICT, ...dryRun(options) };
    const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
    const path = await this.#client.pathOf(object, object.metadata.name);
    return this.#client.request("PUT", path, { query, body });
  }

  async #takeOver(live: KubernetesObject, manager: string): Promise<KubernetesObject> {
    if (!hasFieldsToTakeOver(live)) return live;
    const path = await this.#client.pathOf(live, live.metadata.name);
    const body = [
      { op: "replace", path: "/metadata/managedFields", value: takenOver(live, manager) },
      // The list may only replace the version that it was made from.
      { op: "replace", path: "/metadata/resourceVersion", value: live.metadata.resourceVersion },
    ];
    try {
      return await this.#client.request("PATCH", path, {
        query: { fieldManager: manager },
        body,
        contentType: JSON_PATCH,
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const current = await this.read(live);
      if (current === undefined) throw error;
      return this.#takeOver(current, manager);
    }
  }

  async #retried(send: () => Promise<KubernetesObject>, { preview, log }: WriteOptions) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        const mayCome = error instanceof NoSuchKindError || isNotFound(error);
        if (preview || !mayCome || attempt === CREATE_ATTEMPTS) throw error;
        log.status(`retry ${attempt} of ${CREATE_ATTEMPTS - 1}: ${error.message}`);
        await sleep(FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1));
        this.#client.forgetKinds();
      }
    }
  }
}

function dryRun({ preview }: WriteOptions): { dryRun?: string } {
  return preview ? { dryRun: "All" } : {};
}

function propagation(object: KubernetesObject): string {
  const policy = annotation(object, "pulumi.com/deletionPropagationPolicy")?.toLowerCase();
  if (policy === "orphan") return "Orphan";
  return policy === "background" ? "Background" : "Foreground";
}

/**
 * Keeps the live value of ignored fields: they are omitted if another manager owns them, otherwise sent again with
 * their value.
 */
function withoutIgnored(
  object: KubernetesObject,
  live: KubernetesObject,
  ignoreChanges: readonly string[],
  manager: string,
): KubernetesObject {
  return ignoreChanges.map(parsePropertyPath).reduce<KubernetesObject>((desired, path) => {
    // In managed fields, list items have other keys than in a path.
    if (path.some((step) => typeof step === "number" || step === "*")) return desired;
    const value = getAt(live, path);
    const isTheirs = isOwnedByOthers(live, path, manager);
    if (!isTheirs && value === undefined) return desired;
    return setAt(desired, path, isTheirs ? undefined : value) as KubernetesObject;
  }, object);
}

/** After a server error or a lost connection, the write may have happened. */
function outcomeOf(error: unknown): unknown {
  const isOpen =
    (error instanceof UnreachableError && error.sent) ||
    (error instanceof ApiError && error.status >= 500);
  return isOpen ? new OutcomeUnknownError((error as Error).message, { cause: error }) : error;
}

function alreadyExists(error: ApiError, { kind, metadata }: KubernetesObject): Error {
  return new Error(
    `${error.message}. If ${kind} ${metadata.name} is this stack's under a former name, add an alias; if it is to be replaced, set deleteBeforeReplace; to manage some fields of another's object use ${kind}Patch; otherwise choose another name`,
    { cause: error },
  );
}

function applyConflict(error: ApiError, { kind, metadata }: KubernetesObject): Error {
  const fields = error.causes.map(({ field, message }) => `${field} (${message})`).join(", ");
  return new Error(
    `${kind} ${metadata.name}: another manager owns ${fields || "some of the fields"}; leave these fields out, add ignoreChanges for them, or take them over with the annotation pulumi.com/patchForce: "true"`,
    { cause: error },
  );
}
