import { importKind } from "../../../sdk/multi-cluster/import-schema.ts";
import { companionName } from "../../../sdk/multi-cluster/names.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import type { KubernetesClient } from "../../kubernetes/client.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { Reflector, type ReflectorOptions } from "../../kubernetes/reflector.ts";
import type { ImportSource } from "./import-source.ts";
import {
  clustersOfImport,
  type ImportedClusters,
  type OnUnreadable,
  readCompanion,
  readImport,
} from "./read-import.ts";
import type { RemoteCluster } from "./remote-cluster.ts";

export interface KubernetesImportOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespace: string;
  readonly name: string;
  /** Told what an object or the API server does wrong; `key` names where. */
  readonly onProblem: (key: string, message: string) => void;
  /** How the reflectors wait. */
  readonly timing?: Pick<ReflectorOptions<unknown>, "backOff" | "probeInterval" | "time">;
}

const importsApi = `/apis/${importKind.group}/${importKind.version}`;

/**
 * The import from an API server, and the ConfigMap beside it, which has the clusters where the kind that is served has
 * no field for them. While the API server is away the clusters stay those that were read last.
 */
export class KubernetesImport implements ImportSource {
  readonly #options: KubernetesImportOptions;
  readonly #imports: Reflector<ImportedClusters>;
  readonly #companions: Reflector<ImportedClusters>;
  #onChange: (clusters: readonly RemoteCluster[]) => void = () => {};
  #missing = false;

  constructor(options: KubernetesImportOptions) {
    this.#options = options;
    this.#imports = this.#reflect(importsApi, importKind.plural, options.name, readImport);
    const companion = companionName(options.name);
    this.#companions = this.#reflect("/api/v1", "configmaps", companion, readCompanion);
  }

  start(onChange: (clusters: readonly RemoteCluster[]) => void): void {
    this.#onChange = onChange;
    this.#imports.start();
    this.#companions.start();
  }

  synced(): boolean {
    return this.#isRead && this.#import !== undefined;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#imports.stop(), this.#companions.stop()]);
  }

  get #import(): ImportedClusters | undefined {
    const { namespace, name } = this.#options;
    return this.#imports.objects.get(`${namespace}/${name}`);
  }

  /** An import that has its clusters needs no ConfigMap, which the picker then need not be allowed to read. */
  get #isRead(): boolean {
    if (!this.#imports.synced) return false;
    return this.#import?.clusters !== undefined || this.#companions.synced;
  }

  #update(): void {
    if (!this.#isRead) return;
    const { namespace, name, onProblem } = this.#options;
    const it = this.#import;
    if (it === undefined && !this.#missing)
      onProblem(
        `InferencePoolImport ${namespace}/${name}`,
        "does not exist: no other cluster exports the pool, or there is no multi-cluster controller",
      );
    this.#missing = it === undefined;
    const companion = this.#companions.objects.get(`${namespace}/${companionName(name)}`);
    this.#onChange(clustersOfImport(it, companion));
  }

  /** One object of a collection. */
  #reflect(
    api: string,
    plural: string,
    name: string,
    read: (object: unknown, onUnreadable: OnUnreadable) => ImportedClusters | undefined,
  ): Reflector<ImportedClusters> {
    const { client, namespace, timing, onProblem } = this.#options;
    const path = `${api}/namespaces/${namespace}/${plural}`;
    const tell = (problem: string) => onProblem(`${plural} ${namespace}/${name}`, problem);
    const readOne = (object: KubernetesObject) => {
      try {
        return read(object, tell);
      } catch (error) {
        tell(reasonOf(error));
        return undefined;
      }
    };
    return new Reflector<ImportedClusters>({
      ...{ client, path, ...timing },
      query: { fieldSelector: `metadata.name=${name}` },
      trim: readOne,
      onChange: () => this.#update(),
      onState: (state) => {
        if (state.kind === "failing") onProblem(path, state.error.message);
        if (state.kind === "absent")
          onProblem(path, "the API server does not serve this kind; install its CRD");
        this.#update();
      },
    });
  }
}
