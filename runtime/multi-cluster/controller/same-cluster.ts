/** A member, with the data that identifies its cluster. */
export interface Claimant {
  readonly name: string;
  /** Server and CA of its kubeconfig, which the hub knows and the member cannot change; undefined if unknown. */
  readonly server: string | undefined;
  readonly ca: string | undefined;
  /** Uid of its namespace kube-system, as the member reports it; undefined if it was not read. */
  readonly identity: string | undefined;
  /** Uid when the member was last accepted, as stored by the hub. */
  readonly established: string | undefined;
  /** Uid that the set's policy requires. */
  readonly pinned: string | undefined;
  /** Whether it reported its uid after the other members, because it joined later or reported another uid before. */
  readonly isLate: boolean;
}

export interface Refusals {
  /** Reason for each refused member, by name. */
  readonly refused: ReadonlyMap<string, string>;
  /** Reason for each member that claims the same cluster as another one, if it is unknown which claim is false. */
  readonly doubtful: ReadonlyMap<string, string>;
}

/**
 * Finds members that are the same cluster. Two names of one cluster would import their own exports, so only one of them
 * counts. A member reports its uid itself and may report the uid of another member. If two members report the same uid,
 * the member that had it before stays, even while it cannot be read. If both are new, the later member is refused. If
 * both reported the uid from the start, from servers that the hub can distinguish, both stay, and the second member is
 * in doubt.
 *
 * @param members in the order in which they are listed
 */
export function sameClusters(members: readonly Claimant[]): Refusals {
  const refused = new Map<string, string>();
  const doubtful = new Map<string, string>();
  const counted: Claimant[] = [];
  const byRight = [...members].sort((a, b) => rank(a) - rank(b));
  for (const member of byRight) {
    const { name, identity, pinned } = member;
    const claim = claimOf(member);
    if (pinned !== undefined && identity !== undefined && identity !== pinned) {
      refused.set(
        name,
        `is another cluster: kube-system has uid ${identity}, and its uid is given as ${pinned}`,
      );
      continue;
    }
    const other = counted.find((each) => isDouble(each, member));
    if (other === undefined) {
      counted.push(member);
      continue;
    }
    const what = `the same cluster as ${other.name} (kube-system has the uid ${claim})`;
    const hasLess = rank(member) > rank(other) || rank(member) === 3 || other.pinned !== undefined;
    if (isKnownDouble(other, member) || hasLess) {
      refused.set(name, `is ${what}; name it once`);
      continue;
    }
    counted.push(member);
    doubtful.set(name, `claims to be ${what}, from another API server: set uid of the real one`);
  }
  return { refused, doubtful };
}

/** A member that was not read keeps its established uid. */
const claimOf = ({ identity, established }: Claimant) => identity ?? established;

/**
 * Rank of a member's claim: 0 if the policy sets its uid, 1 if it keeps its established uid, 2 if it reported its uid
 * from the start, 3 if it joined later or had another uid.
 */
function rank({ pinned, identity, established, isLate }: Claimant): 0 | 1 | 2 | 3 {
  if (pinned !== undefined) return 0;
  if (established !== undefined) return (identity ?? established) === established ? 1 : 3;
  return isLate ? 3 : 2;
}

const isDouble = (a: Claimant, b: Claimant) =>
  (claimOf(a) !== undefined && claimOf(a) === claimOf(b)) || isSameServer(a, b);

const isSameServer = (a: Claimant, b: Claimant) =>
  a.server !== undefined && a.server === b.server && a.ca === b.ca;

/**
 * Whether the hub itself knows that both members are one cluster: one CA belongs to one cluster's API servers, at any
 * address. Members with an unknown server count as the same cluster.
 */
const isKnownDouble = (a: Claimant, b: Claimant) =>
  a.server === undefined ||
  b.server === undefined ||
  isSameServer(a, b) ||
  (a.ca !== undefined && a.ca === b.ca);
