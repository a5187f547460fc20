/** A directory that engines of pods without root can write to. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { type Fields, isMap } from "../../../kubernetes/values/records.ts";

/** The user of the image, or a user that the cluster chooses. */
const anotherUser = "a user other than root";

/** Images of the engines' projects: their user is root, and only root's home exists. */
const imageOfRoot = /(^|\/)(vllm-openai(-\w+)*|sglang|tensorrt-llm\/release)([:@]|$)/;

/**
 * Whether an image comes from the project of an engine or from a maker of accelerators. Such images contain no models.
 */
export const isProjectImage = (image: string): boolean =>
  imageOfRoot.test(image) || /(^|\/)(rocm|intel)\/(vllm|sgl)[\w-]*([:@]|$)/.test(image);

/** Uid 2000 of vLLM's images, which have a home for it and for the group 0. */
const userOfImages = 2000;

const fieldsOf = (value: unknown): Fields => (isMap(value) && !isDeferred(value) ? value : {});

/** Why an engine cannot write to its home: another user than root, or a root file system that is read-only. */
export function unwritable(pod: unknown, container: unknown): string | undefined {
  const ofPod = fieldsOf(fieldsOf(pod).securityContext);
  const own = { ...ofPod, ...fieldsOf(fieldsOf(container).securityContext) } as Fields;
  if (own.readOnlyRootFilesystem === true) return "a read-only root file system";
  const { runAsUser: user, runAsNonRoot } = own;
  if (user === userOfImages && own.runAsGroup === 0) return undefined;
  if (typeof user === "number" && user > 0) return `user ${user}`;
  return runAsNonRoot === true && user === undefined ? anotherUser : undefined;
}

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** The value of a variable in a container; undefined if it is not set. */
const variable = (container: Fields, name: string): unknown =>
  listOf(container.env).find((entry) => entry.name === name)?.value;

/** Whether a path is below a mount that a container may write to, or below /tmp of a writable root file system. */
function isWritable(path: unknown, container: Fields, why: string): boolean {
  if (typeof path !== "string") return path !== undefined;
  const isBelow = (folder: unknown) =>
    typeof folder === "string" && `${path}/`.startsWith(`${folder.replace(/\/+$/, "")}/`);
  if (!why.includes("read-only") && isBelow("/tmp")) return true;
  return listOf(container.volumeMounts).some(
    ({ mountPath, readOnly }) => readOnly !== true && isBelow(mountPath),
  );
}

/** Returns why the engine of a template has no writable home. The user of another image may have a writable home. */
export function missingHomeOfTemplate(pod: unknown, container: unknown): string | undefined {
  const { image } = fieldsOf(container);
  if (typeof image !== "string" || !imageOfRoot.test(image)) return undefined;
  const why = missingHome(pod, container);
  return why === anotherUser ? undefined : why;
}

/** Whether a container has no directory for temporary files, because its root file system is read-only. */
export function hasNoTemporaryFiles(container: unknown): boolean {
  const why = unwritable(undefined, container);
  const fields = fieldsOf(container);
  if (!why?.includes("read-only") || isOpen(fields)) return false;
  const isSet = listOf(fields.env).some(({ name }) => name === "TMPDIR");
  return !isWritable(isSet ? (variable(fields, "TMPDIR") ?? true) : "/tmp", fields, why);
}

/** Whether variables or mounts of a container are not known. */
const isOpen = (fields: Fields): boolean =>
  ["env", "envFrom", "volumeMounts"].some((field) => isDeferred(fields[field])) ||
  listOf(fields.envFrom).length > 0;

/**
 * Returns why a container has no writable home; undefined if it has a writable home, or if parts of the container are
 * not known.
 */
export function missingHome(pod: unknown, container: unknown): string | undefined {
  const why = unwritable(pod, container);
  const fields = fieldsOf(container);
  if (why === undefined) return undefined;
  if (isOpen(fields)) return undefined;
  return isWritable(variable(fields, "HOME"), fields, why) ? undefined : why;
}

/** Home of engines without root. */
export const homeDirectory = "/home/engine";
const homeVolume = "home";
const cacheOfRoot = "/root/.cache/huggingface";

/**
 * Returns the template of a typed model with a writable home in its engine's container, if it needs one: an emptyDir
 * and the variables of the caches in it. A volume for downloads moves from root's home to this one. Variables and
 * mounts of the template are kept.
 */
export function withWritableHome(template: unknown, name: string): unknown {
  const pod = fieldsOf(fieldsOf(template).spec);
  const at = listOf(pod.containers).findIndex((each) => each.name === name);
  const container = listOf(pod.containers)[at];
  const why = container && missingHome(pod, container);
  if (container === undefined || why === undefined) return template;
  const mounts = listOf(container.volumeMounts);
  const cache = `${homeDirectory}/.cache/huggingface`;
  const isReadOnly = why.includes("read-only");
  const hasTmp = mounts.some(({ mountPath }) => mountPath === "/tmp");
  const variables = {
    HOME: homeDirectory,
    HF_HOME: cache,
    // getpass reads it for users that are not in /etc/passwd.
    USER: "engine",
    TORCHINDUCTOR_CACHE_DIR: `${homeDirectory}/.cache/torchinductor`,
    TRITON_CACHE_DIR: `${homeDirectory}/.triton`,
  };
  const env = Array.isArray(container.env) ? (container.env as readonly Fields[]) : [];
  const missing = Object.entries(variables).filter(
    ([key]) => !env.some((entry) => isDeferred(entry) || entry.name === key),
  );
  const changed = {
    ...container,
    env: [...env, ...missing.map(([key, value]) => ({ name: key, value }))],
    volumeMounts: [
      ...mounts.map((mount) =>
        mount.mountPath === cacheOfRoot ? { ...mount, mountPath: cache } : mount,
      ),
      { name: homeVolume, mountPath: homeDirectory },
      ...(isReadOnly && !hasTmp ? [{ name: homeVolume, mountPath: "/tmp", subPath: "tmp" }] : []),
    ],
  };
  return {
    ...fieldsOf(template),
    spec: {
      ...pod,
      containers: (pod.containers as readonly unknown[]).with(at, changed),
      volumes: [...((pod.volumes as readonly unknown[]) ?? []), { name: homeVolume, emptyDir: {} }],
    },
  };
}
