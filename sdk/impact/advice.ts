import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../names.ts";
import { isGpuWorkload } from "./gpu-workload.ts";
import type { ObjectChange } from "./preview.ts";

interface Cause {
  applies(lost: ObjectChange, all: readonly ObjectChange[]): boolean;
  advice(lost: ObjectChange, all: readonly ObjectChange[]): string;
}

const because =
  (...paths: readonly string[]) =>
  ({ replaceReasons }: ObjectChange) =>
    replaceReasons.some((reason) => paths.some((path) => reason.startsWith(path)));

/** Causes of a lost object and how to avoid them; the first cause that applies is used. */
const causes: readonly Cause[] = [
  {
    applies: because("metadata.namespace"),
    advice: () =>
      "A namespace cannot change in place. Create a second service in the new namespace, move its requests there, and then remove this one.",
  },
  {
    applies: (lost) =>
      because("metadata.name")(lost) && lost.before?.metadata.namespace !== undefined,
    advice: () => "Set metadata.name of the component to the old name.",
  },
  {
    applies: because("provider"),
    advice: () => "The program selects another cluster. Use another stack for it.",
  },
  {
    applies: because("data", "binaryData", "stringData"),
    advice: () =>
      "Set `kubernetes:enableConfigMapMutable` to true: the object is then updated in place.",
  },
  {
    applies: because("spec.leaderWorkerTemplate"),
    advice: () =>
      "LeaderWorkerSet does not accept this change. Create a second service, move its requests there, and then remove this one.",
  },
  {
    // The same object under another URN: the engine deletes it after it has updated it.
    applies: (lost, all) => isDeleted(lost) && newResourceOf(lost, all) !== undefined,
    advice: (lost, all) =>
      `Component ${componentOf(lost)} is now ${componentOf(newResourceOf(lost, all))}. Add its old name to its options: aliases: [{ name: "${componentOf(lost)}" }].`,
  },
  {
    applies: (lost, all) =>
      isDeleted(lost) && isSet(lost) && roleOf(newSetOf(lost, all, false)) !== undefined,
    advice: (lost, all) =>
      `The update creates role ${roleOf(newSetOf(lost, all, false))} and deletes role ${roleOf(lost.before)}. Keep the name of the role.`,
  },
  {
    applies: (lost, all) =>
      isDeleted(lost) && isSet(lost) && newSetOf(lost, all, true) !== undefined,
    advice: (lost) =>
      `The update creates other LeaderWorkerSets for role ${roleOf(lost.before)}. Keep \`workload\`, and do not change between one node and several. For another layout, create a second service, move its requests there, and then remove this one.`,
  },
  {
    applies: (lost, all) =>
      isDeleted(lost) && isGpuWorkload(lost.before) && !isScaledDown(lost, all),
    advice: () =>
      "The program no longer contains this object. To keep it, set protect: true or retainOnDelete: true before you remove it from the program.",
  },
];

/** Returns how to avoid a replacement or a deletion; undefined if the update intends it. */
export function adviceFor(lost: ObjectChange, all: readonly ObjectChange[]): string | undefined {
  return causes.find(({ applies }) => applies(lost, all))?.advice(lost, all);
}

const isDeleted = ({ operation }: ObjectChange) => operation === "delete";
const isSet = ({ before }: ObjectChange) => before?.kind === "LeaderWorkerSet";
const roleOf = (manifest: Manifest | undefined) => manifest?.metadata.labels?.[label.roleName];
const ownerOf = (manifest: Manifest | undefined) =>
  `${manifest?.metadata.namespace}/${manifest?.metadata.labels?.[label.service]}`;

/** Returns the name of the component of a resource, whose name begins with it: `qwen-deployment-epp`. */
const componentOf = (change: ObjectChange | undefined): string =>
  change?.resource.split(`-${(change.before ?? change.after)?.kind.toLowerCase()}`)[0] ?? "";

function newResourceOf({ before }: ObjectChange, all: readonly ObjectChange[]) {
  return all.find(
    ({ operation, after }) =>
      operation === "create" &&
      after?.kind === before?.kind &&
      after?.metadata.name === before?.metadata.name &&
      after?.metadata.namespace === before?.metadata.namespace,
  );
}

/**
 * Returns a LeaderWorkerSet that the update creates for the same role, or for another role of the service, if it deletes
 * all former sets of the role.
 */
const newSetOf = (lost: ObjectChange, all: readonly ObjectChange[], ofSameRole: boolean) =>
  isScaledDown(lost, all)
    ? undefined
    : all.find(
        ({ operation, after }) =>
          operation === "create" &&
          after?.kind === "LeaderWorkerSet" &&
          ownerOf(after) === ownerOf(lost.before) &&
          (roleOf(after) === roleOf(lost.before)) === ofSameRole,
      )?.after;

/**
 * Whether other LeaderWorkerSets of the role stay, so that the update only removes replicas. A preview may omit
 * unchanged objects; then the first replica stays if it is not deleted.
 */
export function isScaledDown({ before }: ObjectChange, all: readonly ObjectChange[]): boolean {
  if (before?.kind !== "LeaderWorkerSet") return false;
  const ofRole = all.filter((other) => {
    const manifest = other.before;
    return (
      manifest?.kind === "LeaderWorkerSet" &&
      ownerOf(manifest) === ownerOf(before) &&
      roleOf(manifest) === roleOf(before)
    );
  });
  const indexOf = (manifest: Manifest | undefined) =>
    manifest?.metadata.labels?.[label.replicaIndex];
  const isFirstDeleted = ofRole.some(
    (other) => isDeleted(other) && [undefined, "0"].includes(indexOf(other.before)),
  );
  return !isFirstDeleted || ofRole.some(({ after }) => after !== undefined);
}
