import type { Refusals } from "./same-cluster.ts";

/** A member, and the uid that it reports. */
interface Speaker {
  readonly name: string;
  /** Uid of its namespace kube-system; undefined if it was not read. */
  readonly identity: string | undefined;
}

/**
 * Identity of each member when it was last accepted: the uid of its namespace kube-system. Identities are kept across
 * restarts, so that a member with another uid after a restart is known to have changed.
 */
export class EstablishedIdentities {
  #uids: ReadonlyMap<string, string> = new Map();

  of(name: string): string | undefined {
    return this.#uids.get(name);
  }

  /** The identities as JSON, in a stable order. */
  get text(): string {
    return JSON.stringify(Object.fromEntries([...this.#uids].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  /**
   * Loads the identities that another process, or an earlier one, has established.
   *
   * @throws Error if the text is not a JSON object of uids by member
   */
  read(text: string | undefined): void {
    const found: unknown = JSON.parse(text ?? "{}");
    const entries = Object.entries(found ?? {});
    if (typeof found !== "object" || !entries.every(([, uid]) => typeof uid === "string"))
      throw new Error("not a map of members to uids");
    this.#uids = new Map(entries);
  }

  /**
   * Establishes the uids of accepted members and forgets members that left the set. A member that is refused, in doubt
   * or unread keeps its previous uid.
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
