import { limitsOf, type OptionLimit } from "./option-limits.ts";
import { type Option, optionKinds, optionsByName } from "./option-names.ts";
import { type NameLists, nameLists, type ReleaseData, type WholeRelease } from "./release-data.ts";
import type { Version } from "./version.ts";

/** One release of an engine: the options, values and names that its source defines. */
export interface Release {
  /** Version on PyPI, such as 0.32.0. */
  readonly version: string;
  readonly options: ReadonlyMap<string, Option>;
  /** Values of options with a fixed set of values, by the first name of the option. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** Types and bounds of values, by the first name of the option. */
  readonly limits: ReadonlyMap<string, OptionLimit>;
  readonly names: Readonly<Record<keyof NameLists, ReadonlySet<string>>>;
}

/** The releases of an engine, the newest first. */
export type Releases = readonly [newest: Release, ...older: Release[]];

/** Returns every release, computed from the newest release and the differences of the older releases. */
export function releasesOf(data: readonly [ReleaseData, ...ReleaseData[]]): Releases {
  const limits = limitsOf(data[0].limits ?? {});
  const all = wholeReleases(data).map(
    ({ version, options, values, ...names }): Release => ({
      ...{ version, options: optionsByName(options), limits },
      values: new Map(Object.entries(values).map(([name, each]) => [name, new Set(each)])),
      names: record(nameLists, (list) => new Set(names[list])),
    }),
  );
  return all as unknown as Releases;
}

/** Returns the complete data of every release. */
export function wholeReleases(data: readonly ReleaseData[]): WholeRelease[] {
  let newer: Partial<WholeRelease> = {};
  return data.map(({ version, options, lacks = {}, ...own }) => {
    const values = Object.entries({ ...newer.values, ...own.values });
    const whole: WholeRelease = {
      version,
      options: record(optionKinds, (kind) =>
        merged(newer.options?.[kind], options[kind], lacks.options),
      ),
      values: Object.fromEntries(values.filter(([, each]) => each.length > 0)),
      ...record(nameLists, (list) => merged(newer[list], own[list], lacks[list])),
    };
    newer = whole;
    return whole;
  });
}

type Names = readonly string[];

function merged(newer: Names = [], own: Names = [], lacks: Names = []): string[] {
  const missing = new Set(lacks);
  return [...newer.filter((name) => !missing.has(name)), ...own];
}

const record = <Key extends string, T>(keys: readonly Key[], value: (key: Key) => T) =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, T>;

/** Returns the options of all releases. A name has the kind of the newest release that has it. */
export const optionsOfAll = (releases: Releases): ReadonlyMap<string, Option> =>
  new Map(releases.toReversed().flatMap(({ options }) => [...options]));

/** Returns the release whose first `parts` numbers equal those in a version; undefined if no data is stored. */
export const releaseOf = (
  releases: Releases,
  version: Version,
  parts: 2 | 3,
): Release | undefined =>
  releases.find((each) => {
    const own = each.version.split(".").map(Number);
    return version.slice(0, parts).every((part, at) => part === own[at]);
  });

/** Tags after a version that the engines' own images have: builds for CUDA, ROCm, processors and distributions. */
const ownTag =
  /^v?\d+\.\d+\.\d+(\.post\d+)?(-(cu\d+|cuda[\d.]*|rocm[\w.]*|mi\d+\w*|x86_64|aarch64|amd64|arm64|ubuntu[\d.]+|runtime|slim|xeon|base))*$/;

/** Whether an image's tag is a release, not a candidate, a nightly build or a build with changes. */
export const isReleaseTag = (image: unknown): boolean => {
  const tag = typeof image === "string" ? /:([^/:@]+)(@|$)/.exec(image)?.[1] : undefined;
  return tag !== undefined && ownTag.test(tag);
};

/** Returns where a name exists, as text: the releases before and after a release that lacks it. */
export function presence(
  releases: Releases,
  lacking: Release,
  has: (release: Release) => boolean,
): string | undefined {
  const at = releases.indexOf(lacking);
  const later = releases.slice(0, at).findLast(has);
  const earlier = releases.slice(at + 1).find(has);
  if (earlier !== undefined) return `up to ${earlier.version}`;
  return later === undefined ? undefined : `since ${later.version}`;
}

/** Returns the first stored release with a name, if an older stored release lacks it. */
export function firstWith(
  releases: Releases,
  has: (release: Release) => boolean,
): Version | undefined {
  const at = releases.findLastIndex(has);
  if (at < 0 || at === releases.length - 1) return undefined;
  const [major = 0, minor = 0, patch = 0] = (releases[at]?.version ?? "").split(".").map(Number);
  return [major, minor, patch];
}
