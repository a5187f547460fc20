import { groups } from "../../../kubernetes/kinds/groups.ts";
import { rewriteVersions } from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { inferencePoolName, ownLlmServiceName, ownRewriteName } from "../../names.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { llmServiceKind } from "../../spec/llm-service.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { rewriteManifest } from "./models.ts";

/** Returns the LLMService and the InferenceModelRewrite that a service creates for its own pool. */
export function planOwnModels(
  context: PlanContext,
  { models, rewrites }: InferenceServiceSpec,
  { rewriteVersion = rewriteVersions[0] }: PlanOptions,
): Manifest[] {
  const service = context.metadata.name;
  const poolRef = {
    group: groups.inference,
    kind: "InferencePool",
    name: inferencePoolName(service),
  } as const;
  return [
    ...(models === undefined
      ? []
      : [
          {
            ...llmServiceKind,
            metadata: objectMeta(context, ownLlmServiceName(service)),
            spec: { models, poolRef: [{ kind: poolRef.kind, name: poolRef.name }] },
          },
        ]),
    ...(rewrites === undefined
      ? []
      : [
          rewriteManifest(rewriteVersion, objectMeta(context, ownRewriteName(service)), {
            poolRef,
            rules: rewrites,
          }),
        ]),
  ];
}
