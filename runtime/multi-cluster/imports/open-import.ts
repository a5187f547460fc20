import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import type { Log } from "../../manager/log.ts";
import { fileImport } from "./file-import.ts";
import type { ImportSource } from "./import-source.ts";
import { KubernetesImport } from "./kubernetes-import.ts";

/** Name of an import, and the source from which it is read. */
export interface ImportLocation {
  readonly namespace: string;
  readonly name: string;
  /** YAML file; undefined to read from the API server. */
  readonly file: string | undefined;
}

/** Opens the import. The client is undefined for an import from a file. */
export function openImport(
  { namespace, name, file }: ImportLocation,
  log: Log,
): { readonly source: ImportSource; readonly client: KubernetesClient | undefined } {
  const onProblem = (key: string, message: string) => log.error(`${key}: ${message}`);
  if (file !== undefined)
    return { source: fileImport({ file, name, onProblem }), client: undefined };
  const client = newKubernetesClient(loadKubeConfig());
  return {
    source: new KubernetesImport({ client, namespace, name, onProblem }),
    client,
  };
}
