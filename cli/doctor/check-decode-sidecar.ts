import { hasDecodeSidecar } from "../../sdk/engines/containers/containers.ts";
import { label } from "../../sdk/names.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import type { ClusterObservation, LeaderWorkerSet } from "./observation.ts";

const check = "decode-sidecar";

/**
 * If the picker assigns a prefiller to a request, the decode sidecar in the decoder's pod sends the prompt to the
 * prefiller and fetches its KV cache. Without a sidecar, decoders compute prompts themselves and prefillers are idle.
 */
export function checkDecodeSidecar({ leaderWorkerSets }: ClusterObservation): CheckResult[] {
  if (leaderWorkerSets.state === "forbidden")
    return [forbidden(check, "LeaderWorkerSets", leaderWorkerSets)];
  if (leaderWorkerSets.state === "absent") return [];
  const decoders = leaderWorkerSets.value.filter(isDecoder);
  if (decoders.length === 0) return [];
  const alone = decoders
    .filter(({ spec }) => !hasDecodeSidecar(leaderOf(spec).spec))
    .map(({ metadata }) => metadata.name);
  if (alone.length === 0) return [ok(check, "decoders have a decode sidecar")];
  return [
    warning(check, {
      title: `${alone.join(", ")}: decoders without a decode sidecar`,
      seen: "decoders compute prompts themselves, and prefillers are idle",
      fix: "Remove `sidecar: false` from the decoder role, or add a sidecar to its template that listens on the pool's port and forwards to the engine.",
    }),
  ];
}

type PodTemplate = LeaderWorkerSet["spec"]["leaderWorkerTemplate"]["workerTemplate"];

/**
 * Returns the template of the pod that receives requests: the template of the leader, or the template of the workers if
 * the leader has no template of its own.
 */
const leaderOf = ({ leaderWorkerTemplate }: LeaderWorkerSet["spec"]): PodTemplate =>
  leaderWorkerTemplate.leaderTemplate ?? leaderWorkerTemplate.workerTemplate;

const isDecoder = ({ spec }: LeaderWorkerSet) =>
  leaderOf(spec).metadata?.labels?.[label.componentType] === "decoder";
