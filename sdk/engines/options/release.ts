import { limitsOf, type OptionLimit } from "./option-limits.ts";
import { type Option, type OptionKind, optionKinds, optionsByName } from "./option-names.ts";
import type { NameLists, ReleaseData } from "./release-data.ts";
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

const lists = ["variables", "connectors", "architectures", "unstaged"] as const;
const words = (text = ""): string[] => text.split(/\s+/).filter(Boolean);

/** Options by kind, each with its aliases. */
type Kinds = Readonly<Record<OptionKind, readonly string[]>>;

/** Returns every release, from the newest one and the differences of the older ones. */
export function releasesOf(data: readonly [ReleaseData, ...ReleaseData[]]): Releases {
  let kinds = {} as Partial<Kinds>;
  let values: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let names = {} as Partial<Release["names"]>;
  const limits = limitsOf(data[0].limits ?? {});
  const all = data.map(({ version, options, lacks = {}, ...own }) => {
    const missing = new Set(words(lacks.options));
    kinds = record(optionKinds, (kind) => [
      ...(kinds[kind] ?? []).filter((name) => !missing.has(name)),
      ...words(options[kind]),
    ]);
    const merged = new Map(values);
    for (const [name, text] of Object.entries(own.values)) {
      if (text === "") merged.delete(name);
      else merged.set(name, new Set(words(text)));
    }
    values = merged;
    names = record(lists, (list) => {
      const gone = new Set(words(lacks[list]));
      return new Set(
        [...(names[list] ?? []), ...words(own[list])].filter((name) => !gone.has(name)),
      );
    });
    const texts = record(optionKinds, (kind) => (kinds[kind] ?? []).join(" "));
    return {
      ...{ version, options: optionsByName(texts), values, limits },
      names: names as Release["names"],
    };
  });
  return all as unknown as Releases;
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
