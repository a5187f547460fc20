import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { collectionPath } from "../../testing/object-path.ts";

/** An object of a cluster, with the status that its controllers wrote. */
export type ToldObject = Manifest & { readonly status?: object };

/** Source of a picker's objects. */
export interface ObjectSource {
  readonly namespace: string;
  /** Arguments and environment by which a picker reads it. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Replaces all objects. */
  tell(objects: readonly ToldObject[]): void | Promise<void>;
  stop(): void;
}

/** A file. It is complete when `tell` returns. */
export function fileSource(): ObjectSource {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-objects-"));
  const file = join(folder, "objects.yaml");
  return {
    ...{ namespace: "default", args: [`--file-source=${file}`], env: {} },
    tell(objects) {
      // A reader never sees half a file.
      writeFileSync(`${file}.new`, objects.map((object) => stringify(object)).join("---\n"));
      renameSync(`${file}.new`, file);
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * A namespace of an API server.
 *
 * @param kubeconfig by which pickers reach it
 */
export function apiServerSource(
  cluster: Pick<Cluster, "request">,
  kubeconfig: string,
  namespace: string,
): ObjectSource {
  let there: readonly string[] = [];
  return {
    namespace,
    args: [`--pool-namespace=${namespace}`, "--metrics-endpoint-auth=false"],
    env: { KUBECONFIG: kubeconfig },
    async tell(objects) {
      const wanted = objects.map((object) => ({
        object: { ...object, metadata: { ...object.metadata, namespace } },
        path: `${collectionPath({ ...object, metadata: { ...object.metadata, namespace } })}/${object.metadata.name}`,
      }));
      for (const path of there)
        if (!wanted.some((each) => each.path === path))
          await cluster.request("DELETE", `${path}?gracePeriodSeconds=0`);
      for (const { object, path } of wanted) {
        if (there.includes(path)) continue;
        await cluster.request("POST", collectionPath(object), object).catch((error: unknown) => {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
        });
        const { status } = object;
        if (status !== undefined)
          await cluster.request("PATCH", `${path}/status`, { status }, mergePatchType);
      }
      there = wanted.map(({ path }) => path);
    },
    stop() {},
  };
}
