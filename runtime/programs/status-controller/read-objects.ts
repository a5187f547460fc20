import { kinds } from "../../../kubernetes/kinds/index.ts";
import { readablePoolSpec } from "../../../kubernetes/kinds/inference-pool.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import type { PickedPool } from "../../../sdk/routing/picker-ports.ts";
import { type LLMServiceReading, readLLMService } from "../../../sdk/routing/read-llm-service.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import { poolAnnotations, type RoutedPool } from "../../../sdk/routing/routed-pool.ts";
import { LLMServerPoolSpec } from "../../../sdk/spec/llm-server-pool.ts";
import type { MatchLabels } from "../../../sdk/status/llm-server-pool-status.ts";
import {
  type ObservedParents,
  observeParents,
  observePickedPool,
} from "../../../sdk/status/observed.ts";

/** The fields of an InferencePool that determine its routing, pods and picker, and its gateways' conditions. */
export interface PoolObject extends RoutedPool, ObservedParents, PickedPool {
  readonly selector: MatchLabels;
}

export function readPool(object: KubernetesObject): PoolObject | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = readablePoolSpec.safeParse((object as { spec?: unknown }).spec).data;
  return {
    ...observeParents(object),
    ...poolAnnotations(object.metadata.annotations ?? {}),
    group: kinds.InferencePool.group,
    selector: spec?.selector?.matchLabels ?? {},
    ...observePickedPool(object),
  };
}

export function readService(object: KubernetesObject): LLMServiceReading {
  try {
    return readLLMService(object);
  } catch (error) {
    return { service: undefined, problems: [reasonOf(error)] };
  }
}

export interface ServerPoolReading {
  /** Undefined if the object cannot be parsed. */
  readonly selector: MatchLabels | undefined;
  readonly sharesPicker: boolean;
  readonly problems: readonly string[];
}

export function readServerPool(object: KubernetesObject): ServerPoolReading {
  const spec = LLMServerPoolSpec.safeParse((object as { spec?: unknown }).spec ?? {});
  return spec.success
    ? {
        selector: spec.data.modelServerSelector,
        sharesPicker: spec.data.endpointPicker?.shared !== undefined,
        problems: [],
      }
    : { selector: undefined, sharesPicker: false, problems: [reasonOf(spec.error)] };
}

export interface RewriteReading {
  /** Undefined if the object cannot be parsed. */
  readonly rewrite: ModelRewriteObject | undefined;
  readonly problem: string | undefined;
}

export function readRewrite(object: KubernetesObject): RewriteReading {
  try {
    return { rewrite: readModelRewrite(object), problem: undefined };
  } catch (error) {
    return { rewrite: undefined, problem: reasonOf(error) };
  }
}
