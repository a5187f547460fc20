import { unlessAbsent } from "../../kubernetes/api/api-error.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isSecret, isUnknown, mapValue, type RecordedResource } from "../../recorder/index.ts";
import type { ApiClient } from "../api/api-client.ts";
import { objectPath } from "../object-path.ts";

/** An object of a recording, with the name of its provider. */
export interface RecordedObject {
  readonly provider: string;
  readonly manifest: Manifest;
}

/** Returns the Kubernetes objects of a recording in clear text, in their order. */
export const objectsOf = (resources: readonly RecordedResource[]): RecordedObject[] =>
  resources
    .filter(({ properties }) => typeof properties.apiVersion === "string")
    .map(({ urn, provider = "", properties }) => ({
      provider: provider.split("::").at(-2) ?? "",
      manifest: plain(properties, urn) as Manifest,
    }));

/** @throws Error for a value that only an update by Pulumi knows */
const plain = (properties: unknown, urn: string): unknown =>
  mapValue(properties, (value) => {
    if (isUnknown(value))
      throw new Error(`${urn} has a value that is known only after a deployment`);
    return isSecret(value) ? { value: plain(value.value, urn) } : undefined;
  });

type Client = Pick<ApiClient, "apply" | "request">;

/** Applies objects one after the other, each on the cluster of its provider. */
export async function applyObjects(
  objects: readonly RecordedObject[],
  clientOf: (provider: string) => Client,
): Promise<void> {
  for (const { provider, manifest } of objects)
    await clientOf(provider).apply(objectPath(manifest), manifest);
}

/** Deletes objects, the last one first. Objects that are gone already are skipped. */
export async function deleteObjects(
  objects: readonly RecordedObject[],
  clientOf: (provider: string) => Client,
): Promise<void> {
  for (const { provider, manifest } of [...objects].reverse())
    await unlessAbsent(
      clientOf(provider).request("DELETE", `${objectPath(manifest)}?propagationPolicy=Foreground`),
    );
}
