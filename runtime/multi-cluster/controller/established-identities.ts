import type { Refusals } from "./same-cluster.ts";

/** What a member says, beside what it said before. */
interface Speaker {
  readonly name: string;
  /** Uid of its namespace kube-system; undefined where it was not read. */
  readonly identity: string | undefined;
}

/**
 * Which cluster each member of a set was when it last counted, by the uid of its namespace kube-system. It outlives the process
 * that found it out: a member that says another uid after a restart has changed, whoever was there to see it.
 */
export class EstablishedIdentities {
  #uids: ReadonlyMap<string, string> = new Map();

  of(name: string): string | undefined {
    return this.#uids.get(name);
  }

  /** As JSON; the same identities are the same text. */
  get text(): string {
    return JSON.stringify(Object.fromEntries([...this.#uids].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  /**
   * Takes what another process, or an earlier one, has established.
   *
   * @throws Error when the text is not a JSON object of uids by member
   */
  read(text: string | undefined): void {
    const found: unknown = JSON.parse(text ?? "{}");
    const entries = Object.entries(found ?? {});
    if (typeof found !== "object" || !entries.every(([, uid]) => typeof uid === "string"))
      throw new Error("not a map of members to uids");
    this.#uids = new Map(entries);
  }

  /**
   * What members that count say is established from now on. What is in doubt is not, and members that are of the set no more
   * are forgotten. One that was not read stays what it was.
   */
  settle(members: readonly Speaker[], { refused, doubtful }: Refusals): void {
    const contested = new Set(
      members.filter(({ name }) => doubtful.has(name)).map(({ identity }) => identity),
    );
    const settled = new Map<string, string>();
    for (const { name, identity } of members) {
      const counts = identity !== undefined && !refused.has(name) && !contested.has(identity);
      const uid = counts ? identity : this.of(name);
      if (uid !== undefined) settled.set(name, uid);
    }
    this.#uids = settled;
  }
}
