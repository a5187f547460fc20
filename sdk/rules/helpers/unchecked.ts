import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  type CommandLine,
  startedBy,
  wordsOf,
} from "../../engines/command-line/started-programs.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { engineNameOf, engines } from "../../engines/index.ts";
import { acceleratorOfPod } from "../../engines/start-up/template-accelerator.ts";
import { objectSchemas } from "../../schemas/object-schemas.ts";
import { isRead } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { attempt } from "../../stack/unknown-value.ts";
import { acceleratorsOfPods, engineOfPods, type Workload } from "../../stack/workloads.ts";

/** Checks that no rule could make, because a fact is missing. They are neither passed nor failed. */

/** Part of a stack that no rule checked. */
export interface Unchecked {
  /** Objects for which it is not checked. */
  readonly objects: readonly string[];
  /** The missing check, and the missing fact. */
  readonly reason: string;
}

/** Returns the checks that no rule could make: parts of the start of pods, then whole objects by kind. */
export function uncheckedParts(stack: Stack): Unchecked[] {
  const starts = stack.workloads.flatMap((workload) => {
    const read = attempt(() => missingFacts(workload));
    return "unknown" in read
      ? []
      : read.value.map((reason) => ({ object: workload.object, reason }));
  });
  const kinds = unreadObjects(stack).map((object) => ({
    object,
    reason: `the whole object: no rule reads ${versionedKind(object)}`,
  }));
  return [...Map.groupBy([...starts, ...kinds], ({ reason }) => reason)].map(([reason, own]) => ({
    objects: own.map(({ object: { manifest } }) => nameOfObject(manifest)),
    reason,
  }));
}

const nameOfObject = ({ kind, metadata: { namespace = "default", name } }: Manifest): string =>
  `${kind} ${namespace}/${name}`;

function missingFacts({ pods: [leader], accelerators }: Workload): string[] {
  const engine = leader && engineOfPods(leader)?.container;
  if (leader === undefined || engine === undefined) return [];
  const name = engineNameOf(engine);
  const devices = acceleratorsOfPods(leader);
  if (name === undefined)
    return devices === 0
      ? []
      : [
          `the start of ${engine.image ?? "its container"}: neither image nor command names a known engine`,
        ];
  const { releases, title } = engines[name];
  const version = engines[name].versionOf(engine.image)?.join(".");
  return [
    ...(releases !== undefined && releases.of(engine.image) === undefined
      ? [
          `options and values of ${title}: data exists for ${releases.all.at(-1)?.version} to ${releases.all[0].version}, and the image has ${version ?? "no version in its tag"}`,
        ]
      : []),
    ...unreadCommands(engine, title),
    ...(loadedModel(engine) === undefined
      ? ["memory and context: the command does not name the model"]
      : []),
    ...(accelerators.length === 0 && acceleratorOfPod(leader.spec) === undefined
      ? [
          "memory on devices smaller than the largest of their resource: no label of nodes names the accelerator",
        ]
      : []),
  ];
}

/** Parts of an engine's command line that the manifest does not contain. They may be options that no rule read. */
function unreadCommands(engine: CommandLine, title: string): string[] {
  const { programs, isByImage } = startedBy(engine);
  const isHidden =
    !isByImage && programs.some(({ name, args }) => name === undefined && args.length === 0);
  const words = wordsOf(engine).filter(({ mayBeSeveral }) => mayBeSeveral);
  const written = [...new Set(words.map(({ written: word }) => word || "arguments"))];
  return [
    ...(isHidden
      ? [`options of ${title}: a shell of its container runs commands that are not read`]
      : []),
    ...(written.length > 0
      ? [`options of ${title}: the value of ${written.join(", ")} in its command is not known`]
      : []),
  ];
}

/** Objects of kinds that neither rules nor schemas know. Rules on pods still read pod templates in them. */
function unreadObjects({ objects, workloads }: Stack): StackObject[] {
  const { kinds } = objectSchemas();
  const isWorkload = new Set(workloads.map(({ object }) => object));
  return objects.filter(
    (object) =>
      !isRead(object.kind) &&
      !isWorkload.has(object) &&
      !Object.hasOwn(kinds, versionedKind(object)),
  );
}

/** `group/version/Kind`; without a group for the core kinds. */
const versionedKind = ({ manifest: { apiVersion, kind } }: StackObject): string =>
  `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}/${kind}`;
