import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { kvFormatOf } from "../../engines/containers/kv-format.ts";
import { label } from "../../names.ts";
import { isPairSide } from "../../rules/spec/kv-transfer.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";

/**
 * Whether the planned prefillers and decoders have one known KV format. Two formats, such as an image for each kind of
 * accelerator, are a choice of the service, which the picker must not undo.
 */
export function haveSameKvFormat(workloads: readonly Manifest[]): boolean {
  const formats = workloads
    .filter(({ metadata }) => isPairSide(metadata.labels?.[label.componentType]))
    .map(({ spec }) => {
      const { leaderTemplate, workerTemplate } = (spec as Planned).leaderWorkerTemplate;
      return kvFormatOf(engineOf((leaderTemplate ?? workerTemplate).spec));
    });
  const [first] = formats;
  return first !== undefined && formats.every((format) => format === first);
}

interface Planned {
  readonly leaderWorkerTemplate: {
    readonly leaderTemplate?: { readonly spec: PodSpec };
    readonly workerTemplate: { readonly spec: PodSpec };
  };
}
