import type { Path } from "../../errors.ts";
import { wordsOf } from "../command-line/started-programs.ts";

interface Pod<Container> {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[] | undefined;
}

/**
 * Returns every container of a pod, including init containers, with its path. `path` is the path of the pod's spec.
 */
export const containersOf = <Container>(spec: Pod<Container>, path: Path) =>
  (["containers", "initContainers"] as const).flatMap((field) =>
    (spec[field] ?? []).map((container, at) => ({ container, path: [...path, field, at] })),
  );

/** The fields of a container, in a spec or an object, that identify a sidecar. */
interface ServerShape {
  readonly name?: unknown;
  readonly image?: unknown;
  readonly command?: unknown;
  readonly args?: unknown;
  readonly restartPolicy?: unknown;
}

interface PodShape {
  readonly containers: readonly object[];
  readonly initContainers?: readonly object[] | undefined;
}

/** Matches this project's sidecar, and llm-d's by the names of its images and of the container in its guides. */
const sidecarWords = /(pd|routing|decode)-(sidecar|proxy)/;

const isSidecar = (container: ServerShape): boolean =>
  [container.name, container.image, ...wordsOf(container).map(({ text }) => text)].some((word) =>
    sidecarWords.test(String(word)),
  );

/** Returns the decode sidecars of a pod that run as long as the pod. */
function decodeSidecarsOf({ containers, initContainers = [] }: PodShape): readonly object[] {
  const lasting = initContainers.filter(
    ({ restartPolicy }: ServerShape) => restartPolicy === "Always",
  );
  return [...containers, ...lasting].filter(isSidecar);
}

/** Whether a pod has a decode sidecar that runs as long as the pod. */
export const hasDecodeSidecar = (pod: PodShape): boolean => decodeSidecarsOf(pod).length > 0;

/** Flags of this project's sidecar and of llm-d's with the port of the engine. */
const enginePortFlags = ["--model-server-port", "--vllm-port"];

/** Returns the port of the engine to which a decode sidecar forwards requests; undefined if no flag sets it. */
export function sidecarTarget(pod: PodShape): number | undefined {
  const words = decodeSidecarsOf(pod).flatMap((sidecar) => wordsOf(sidecar));
  for (const [at, { text }] of words.entries()) {
    const [flag = "", value = words[at + 1]?.text ?? ""] = text.split("=");
    if (enginePortFlags.includes(flag) && /^\d+$/.test(value)) return Number(value);
  }
  return undefined;
}

/** Whether a decode sidecar listens on a port. It forwards requests of health checks to the engine. */
export const isSidecarPort = (pod: PodShape, port: number): boolean =>
  decodeSidecarsOf(pod).some((sidecar) =>
    wordsOf(sidecar).some(
      ({ text }, at, words) =>
        text === `--port=${port}` || (words[at - 1]?.text === "--port" && text === String(port)),
    ),
  );
