import { kinds } from "../../kubernetes/kinds/index.ts";
import type { AppProtocol } from "../../kubernetes/kinds/inference-pool.ts";
import type { Manifest, ObjectMeta } from "../../kubernetes/values/manifest.ts";

/** Fields of an InferencePool (inference.networking.k8s.io/v1). */
interface Pool {
  readonly targetPorts: readonly unknown[];
  readonly selector: Readonly<Record<string, unknown>>;
  readonly picker: { readonly name: string; readonly port: number };
  readonly failureMode: string;
  /** Protocol of the model servers. Default: HTTP/1.1. */
  readonly appProtocol?: AppProtocol | undefined;
}

export const poolManifest = (
  metadata: ObjectMeta,
  { targetPorts, selector, picker, failureMode, appProtocol }: Pool,
): Manifest => ({
  apiVersion: kinds.InferencePool.apiVersion,
  kind: "InferencePool",
  metadata,
  spec: {
    targetPorts: targetPorts.map((number) => ({ number })),
    ...(appProtocol !== undefined && { appProtocol }),
    selector: { matchLabels: selector },
    endpointPickerRef: { name: picker.name, port: { number: picker.port }, failureMode },
  },
});
