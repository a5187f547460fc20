/** Time in ms without a response after which a server may have other data. */
const longUnansweredMs = 1_000;

/**
 * Tracks whether an API server still has the data that was read from it. After a restore from a backup, or if another
 * cluster responds, versions refer to other states than before: a watch from a known version misses changes, or gets
 * no events.
 */
export class ServerData {
  #newest: string | undefined;
  #cluster: string | undefined;
  #unansweredSince: number | undefined;
  /** The server did not respond for long, and was not listed since. */
  #wasAway = false;
  #mayDiffer = false;

  /** Whether known versions may refer to other states than the same versions do now. */
  get mayDiffer(): boolean {
    return this.#mayDiffer;
  }

  /** Records a complete list at this version. */
  listed(version: string): void {
    this.#newest = version;
    this.#mayDiffer = false;
    this.#wasAway = false;
    this.#unansweredSince = undefined;
  }

  /**
   * Records the version of an event or of a list. Returns the reason if it belongs to other data, otherwise undefined.
   */
  wentBack(version: string | undefined): string | undefined {
    const newest = this.#newest;
    if (version === undefined || newest === undefined || !isOlder(version, newest)) {
      this.#newest = version ?? newest;
      return undefined;
    }
    this.#mayDiffer = true;
    return `the resourceVersion went back from ${newest} to ${version}, as after a restore of the API server's data`;
  }

  /**
   * Records a watch that opened at this time, in ms. Returns the reason if the server may have other data, otherwise
   * undefined. The attempt may have begun before the server was away for long, and waited for it.
   */
  opened(cluster: string | undefined, now: number): string | undefined {
    const before = this.#cluster;
    const wasAway = this.wasAway(now);
    this.#unansweredSince = undefined;
    this.#cluster = cluster;
    if (wasAway) return `the server did not respond for ${longUnansweredMs} ms`;
    if (before === cluster || before === undefined) return undefined;
    this.#mayDiffer = true;
    // A server that has just started sends no id. A restore can take less than a second.
    return cluster === undefined
      ? "the server has just started"
      : "another cluster responds at this address";
  }

  /** Records a failed attempt at this time, in ms. */
  failed(isUnanswered: boolean, now: number): void {
    this.wasAway(now);
    this.#unansweredSince = isUnanswered ? (this.#unansweredSince ?? now) : undefined;
  }

  /** Returns whether the server did not respond for long enough that it may have other data, since the last list. */
  wasAway(now: number): boolean {
    this.#wasAway ||= now - (this.#unansweredSince ?? now) >= longUnansweredMs;
    this.#mayDiffer ||= this.#wasAway;
    return this.#wasAway;
  }

  /** Records that the server became silent, so that it may have other data when it responds again. */
  suspect(): void {
    this.#mayDiffer = true;
  }
}

const decimal = /^[1-9]\d*$/;

/** Compares versions as increasing numbers (KEP-5504). False for versions in another format. */
function isOlder(version: string, than: string): boolean {
  if (!decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
