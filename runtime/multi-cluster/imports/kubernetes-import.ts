import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { annotation } from "../../../sdk/names.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import type { ImportSource } from "./import-source.ts";
import { type ImportedClusters, readImport } from "./read-import.ts";
import type { RemoteCluster } from "./remote-cluster.ts";

export interface KubernetesImportOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespace: string;
  readonly name: string;
  /** Called for each problem of an object or of the API server; `key` names the object or kind. */
  readonly onProblem: (key: string, message: string) => void;
  /** Delays of the reflector. */
  readonly timing?: ReflectorTiming;
}

/** Reads the import from an API server. While the server is unreachable, the last clusters stay in use. */
export class KubernetesImport implements ImportSource {
  readonly #options: KubernetesImportOptions;
  readonly #imports: Reflector<ImportedClusters>;
  #onChange: (clusters: readonly RemoteCluster[]) => void = () => {};
  #problem: string | undefined;

  constructor(options: KubernetesImportOptions) {
    this.#options = options;
    this.#imports = this.#reflect();
  }

  start(onChange: (clusters: readonly RemoteCluster[]) => void): void {
    this.#onChange = onChange;
    this.#imports.start();
  }

  synced(): boolean {
    return this.#imports.synced && this.#import !== undefined;
  }

  async stop(): Promise<void> {
    await this.#imports.stop();
  }

  get #import(): ImportedClusters | undefined {
    const { namespace, name } = this.#options;
    return this.#imports.objects.get(`${namespace}/${name}`);
  }

  #update(): void {
    if (!this.#imports.synced) return;
    const { namespace, name, onProblem } = this.#options;
    const it = this.#import;
    const problem = problemOf(it);
    if (problem !== undefined && problem !== this.#problem)
      onProblem(`InferencePoolImport ${namespace}/${name}`, problem);
    this.#problem = problem;
    this.#onChange(it?.clusters ?? []);
  }

  /** Follows only this import of the collection. */
  #reflect(): Reflector<ImportedClusters> {
    const { client, namespace, name, timing, onProblem } = this.#options;
    const kind = kinds.InferencePoolImport;
    const path = collectionPath(kind, namespace);
    const report = (problem: string) => onProblem(`${kind.plural} ${namespace}/${name}`, problem);
    const readOne = (object: KubernetesObject) => {
      try {
        return readImport(object, report);
      } catch (error) {
        report(reasonOf(error));
        return undefined;
      }
    };
    return reflectKind<ImportedClusters>({
      ...{ client, kind, namespace, timing, required: true },
      query: { fieldSelector: `metadata.name=${name}` },
      read: readOne,
      onChange: () => this.#update(),
      onState: () => this.#update(),
      onProblem: (message) => onProblem(path, message),
    });
  }
}

function problemOf(it: ImportedClusters | undefined): string | undefined {
  if (it === undefined)
    return "does not exist: no other cluster exports the pool, or there is no multi-cluster controller";
  if (it.clusters === undefined && it.isExported)
    return `has no addresses of the exporting clusters: its controller has not written the annotation ${annotation.importDetail} yet, or is an older version that wrote a ConfigMap; update the controller in the hub`;
  return undefined;
}
