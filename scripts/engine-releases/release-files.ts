import { optionKinds } from "../../sdk/engines/options/option-names.ts";
import {
  nameLists,
  type ReleaseData,
  type WholeRelease,
} from "../../sdk/engines/options/release-data.ts";

/**
 * Returns the data files of releases, which are sorted from the newest to the oldest: all of the newest one with the limits of
 * values, and the differences of each older one from the next newer one.
 */
export const releaseFiles = (
  releases: readonly WholeRelease[],
  limits: ReleaseData["limits"],
): ReleaseData[] =>
  releases.map((release, at) =>
    at === 0 ? { ...fileOf(release), limits } : fileOf(release, releases[at - 1]),
  );

function fileOf(release: WholeRelease, newer?: WholeRelease): ReleaseData {
  const others = newer?.values ?? {};
  const changed = [...new Set([...Object.keys(release.values), ...Object.keys(others)])].filter(
    (name) => String(release.values[name]) !== String(others[name]),
  );
  const lacks = present(["options", ...nameLists], (list) =>
    list === "options"
      ? optionKinds.flatMap((kind) => only(newer?.options[kind], release.options[kind]))
      : only(newer?.[list], release[list]),
  );
  return {
    version: release.version,
    options: present(optionKinds, (kind) => only(release.options[kind], newer?.options[kind])),
    values: Object.fromEntries(changed.sort().map((name) => [name, release.values[name] ?? []])),
    ...present(nameLists, (list) => only(release[list], newer?.[list])),
    ...(Object.keys(lacks).length > 0 && { lacks }),
  };
}

type Names = readonly string[];

const only = (own: Names = [], others: Names = []) => own.filter((name) => !others.includes(name));

/** Returns the lists that are not empty, sorted. */
function present<Key extends string>(
  keys: readonly Key[],
  names: (key: Key) => Names,
): Partial<Record<Key, Names>> {
  const lists = keys.map((key) => [key, names(key).toSorted()] as const);
  return Object.fromEntries(lists.filter(([, each]) => each.length > 0)) as Record<Key, string[]>;
}
