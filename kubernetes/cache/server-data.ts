/** A server that did not answer for this long, in ms, may have other data when it answers again. */
const longUnansweredMs = 1_000;

/**
 * Whether an API server still has the data that was read from it. After a restore from a backup, or if another cluster
 * answers, versions name other states than before: a watch from a known version misses changes, or sends nothing.
 */
export class ServerData {
  #newest: string | undefined;
  #cluster: string | undefined;
  #unansweredSince: number | undefined;
  #mayDiffer = false;

  /** Versions known before may name other states than the same versions do now. */
  get mayDiffer(): boolean {
    return this.#mayDiffer;
  }

  /** Everything was listed as of this version. */
  listed(version: string): void {
    this.#newest = version;
    this.#mayDiffer = false;
    this.#unansweredSince = undefined;
  }

  /** Takes note of the version of an event or of a list. Returns why it is of other data; undefined if it is not. */
  wentBack(version: string | undefined): string | undefined {
    const newest = this.#newest;
    if (version === undefined || newest === undefined || !isOlder(version, newest)) {
      this.#newest = version ?? newest;
      return undefined;
    }
    this.#mayDiffer = true;
    return `the resourceVersion went back from ${newest} to ${version}, as after a restore of the API server's data`;
  }

  /** A watch was opened. Returns why the server has other data; undefined if it has not. */
  opened(cluster: string | undefined): string | undefined {
    const before = this.#cluster;
    this.#unansweredSince = undefined;
    this.#cluster = cluster ?? before;
    if (before === this.#cluster || before === undefined) return undefined;
    this.#mayDiffer = true;
    return "another cluster responds at this address";
  }

  /** An attempt failed at this time, in ms. */
  failed(isUnanswered: boolean, now: number): void {
    this.#unansweredSince = isUnanswered ? (this.#unansweredSince ?? now) : undefined;
  }

  /** Returns whether the server did not answer for so long that it may have other data. */
  wasAway(now: number): boolean {
    const isLong = now - (this.#unansweredSince ?? now) >= longUnansweredMs;
    this.#mayDiffer ||= isLong;
    return isLong;
  }

  /** The server fell silent: it may have other data when it answers again. */
  suspect(): void {
    this.#mayDiffer = true;
  }
}

const decimal = /^[1-9]\d*$/;

/** Versions are numbers that grow (KEP-5504). Of others nothing is known. */
function isOlder(version: string, than: string): boolean {
  if (!decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
