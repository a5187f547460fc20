import { argumentsField, startedBy } from "../../engines/command-line/started-programs.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import { type Arguments, whatIsKnown } from "../../engines/options/arguments.ts";
import { isProjectImage } from "../../engines/start-up/writable-home.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import { containersOf, engineOfPods, type PodTemplateUse } from "../../stack/workloads.ts";
import {
  eachPodTemplate,
  eachWorkload,
  rulesOfPack,
  type StackRule,
} from "../helpers/stack-rule.ts";
import { coveringVolume, isBelow } from "../helpers/volumes-of-containers.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const pathsAreMounted = objectRule(
  { id: "paths-are-mounted", code: "reference", level: "advisory" },
  {
    title: "A path that an engine reads is in a volume of its pod",
    why: "If the path does not exist, an engine takes it for the name of a repository or fails, and then restarts forever. All pods of a group load the model.",
    source:
      "llm-d-incubation/llm-d-modelservice#60; vllm-project/vllm#12035; ai-dynamo/dynamo#4941",
    fix: "Mount the volume with the files in each pod that reads them, or correct the path.",
  },
  eachWorkload,
  function* ({ pods: [leader, worker] }) {
    for (const pods of [leader, worker]) {
      const engine = pods && engineOfPods(pods);
      if (pods === undefined || engine === undefined) continue;
      const isOwn = engineNameOf(engine.container) !== undefined;
      // Workers of Ray load the model that the leader's engine names.
      const reader = isOwn ? engine : leader && engineOfPods(leader);
      if (reader === undefined || !knowsItsFiles(reader.container, engine.container)) continue;
      const inputs = inputsOf(reader.container).filter(({ option }) => isOwn || option === "model");
      for (const { option, path } of inputs) {
        const problem = missingPath(path, engine.container, pods);
        if (problem === undefined) continue;
        const mounting = pods.isWorker && leader && mountOf(path, leader);
        yield {
          path: [...engine.path, isOwn ? argumentsField(engine.container) : "volumeMounts"],
          given: `read ${path} (${option}), ${problem}${mounting ? `; the leader mounts ${mounting}` : ""}`,
          allowed: "a path in a volume that contains the files",
          fix: mounting
            ? "Add the volume and its files to workerTemplate."
            : "Mount the volume with the files, or correct the path.",
        };
      }
    }
  },
);

/** Whether the template shows all files of an engine: its image contains no models and its command writes none. */
const knowsItsFiles = (reader: ContainerShape, container: ContainerShape): boolean =>
  engineNameOf(reader) !== undefined &&
  typeof container.image === "string" &&
  isProjectImage(container.image) &&
  startedBy(reader).programs.filter(({ name }) => !isRay(name)).length <= 1;

const isRay = (name: string | undefined): boolean => name?.split("/").at(-1) === "ray";

/** Returns the absolute paths that an engine reads when it starts. */
function inputsOf(engine: ContainerShape): Array<{ option: string; path: string }> {
  const name = engineNameOf(engine);
  if (name === undefined) return [];
  const { inputFiles, imageFiles } = engines[name];
  const args = argumentsOf(engine);
  const found = [
    { option: "model", path: loadedModel(engine) },
    ...inputFiles.map((option) => ({ option, path: textOf(args, option) })),
  ];
  return found.flatMap(({ option, path }) =>
    path?.startsWith("/") && !imageFiles.test(path) ? [{ option, path }] : [],
  );
}

/** Returns the text of an option, or of a key of its JSON object. */
function textOf(args: Arguments, option: string): string | undefined {
  const [name = "", key] = option.split(".");
  if (key === undefined) return whatIsKnown(args.written(name));
  const value = whatIsKnown(args.json(name))?.[key];
  return typeof value === "string" ? value : undefined;
}

/** Returns why a container cannot read a path; undefined if it may. */
function missingPath(
  path: string,
  container: ContainerShape,
  pods: PodTemplateUse,
): string | undefined {
  const { volumeMounts = [] } = container;
  // A volume below the path contains a part of it.
  if (volumeMounts.some(({ mountPath }) => isBelow(mountPath, path) && mountPath !== path))
    return undefined;
  const covering = coveringVolume(path, container, pods.spec);
  if (covering === undefined) {
    const mounted = volumeMounts
      .map(({ mountPath }) => mountPath)
      .filter((at) => at !== "/dev/shm");
    return `but no volume contains it (mounted: ${mounted.join(", ") || "none"})`;
  }
  const { mount, volume } = covering;
  if (volume?.emptyDir === undefined) return undefined;
  const writers = containersOf(pods).filter(
    ({ container: other }) =>
      other !== container && other.volumeMounts?.some(({ name }) => name === mount.name),
  );
  return writers.length > 0
    ? undefined
    : `but the emptyDir at ${mount.mountPath} is empty, because no other container mounts it`;
}

/** Returns where a leader mounts a volume with a path. */
function mountOf(path: string, leader: PodTemplateUse): string | undefined {
  const engine = engineOfPods(leader);
  const mount = engine && coveringVolume(path, engine.container, leader.spec)?.mount;
  return mount && `${mount.name} at ${mount.mountPath}`;
}

/** Directories to which engines and their libraries write, and whether only downloads do. */
const directories: ReadonlyArray<readonly [variable: string, isForDownloads: boolean]> = [
  ["HF_HUB_CACHE", true],
  ["HUGGINGFACE_HUB_CACHE", true],
  ["TRANSFORMERS_CACHE", true],
  ["HF_HOME", true],
  ["VLLM_CACHE_ROOT", false],
  ["TORCHINDUCTOR_CACHE_DIR", false],
  ["TRITON_CACHE_DIR", false],
];
const downloadOption = "--download-dir";
const offlineVariables = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"];

const cachesAreWritable = objectRule(
  { id: "caches-are-writable", code: "conflict", level: "advisory" },
  {
    title: "An engine can write to its caches",
    why: "The library of Hugging Face writes locks and metadata into its cache even if the model is there, and the engine ends with Errno 30.",
    source: "llm-d-incubation/llm-d-modelservice#243",
    fix: "Mount the cache writable, set HF_HUB_OFFLINE to 1 if the cache contains the model, or load the model by its path.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    if (engine === undefined || engineNameOf(engine.container) === undefined) return;
    const { container, path } = engine;
    const { env = [] } = container;
    const model = loadedModel(container);
    const downloads =
      model !== undefined &&
      !/^[/.~]/.test(model) &&
      !env.some(({ name }) => offlineVariables.includes(name) && !isOff(env, name));
    for (const { setter, directory, isForDownloads, place } of cachesOf(container)) {
      if (isForDownloads && !downloads) continue;
      const why = unwritableDirectory(directory, container, pods);
      if (why === undefined) continue;
      yield {
        path: [...path, ...place],
        given: `stores ${isForDownloads ? "downloads" : "compiled files"} at ${directory} (${setter}), ${why}`,
        allowed: "a writable volume",
        fix: isForDownloads
          ? "Mount it writable, set HF_HUB_OFFLINE to 1 if it contains the model, or load the model by its path."
          : "Mount it writable, or set the variable to another directory.",
      };
      if (isForDownloads) return;
    }
  },
);

type Env = NonNullable<ContainerShape["env"]>;

const isOff = (env: Env, variable: string): boolean =>
  /^(0|false|no|off|)$/i.test(env.find(({ name }) => name === variable)?.value ?? "1");

function* cachesOf(container: ContainerShape) {
  const { env = [], envFrom } = container as ContainerShape & { envFrom?: readonly unknown[] };
  const option = whatIsKnown(argumentsOf(container).written(downloadOption));
  if (option !== undefined)
    yield {
      setter: downloadOption,
      directory: option,
      isForDownloads: true,
      place: [argumentsField(container)],
    };
  for (const [variable, isForDownloads] of directories) {
    const at = env.findIndex(({ name }) => name === variable);
    const directory = env[at]?.value;
    if (directory?.startsWith("/"))
      yield { setter: variable, directory, isForDownloads, place: ["env", at, "value"] };
  }
  const isSet =
    option !== undefined ||
    (envFrom ?? []).length > 0 ||
    env.some(({ name }) => directories.some(([variable, isFor]) => isFor && variable === name));
  if (isSet) return;
  const home = env.find(({ name }) => name === "HOME");
  const directory = `${home === undefined ? "/root" : home.value}/.cache/huggingface`;
  yield { setter: "by default", directory, isForDownloads: true, place: ["volumeMounts"] };
}

interface Security {
  readonly readOnlyRootFilesystem?: boolean;
}

/** Returns why a container cannot write to a directory; undefined if it may. */
function unwritableDirectory(
  directory: string,
  container: ContainerShape,
  { spec }: PodTemplateUse,
): string | undefined {
  const covering = coveringVolume(directory, container, spec);
  const { readOnlyRootFilesystem } = (container.securityContext ?? {}) as Security;
  if (covering === undefined)
    return readOnlyRootFilesystem === true ? "but the root file system is read-only" : undefined;
  return covering.isReadOnly ? `but its volume ${covering.mount.name} is read-only` : undefined;
}

export const pathRules: readonly StackRule[] = [pathsAreMounted, cachesAreWritable];
