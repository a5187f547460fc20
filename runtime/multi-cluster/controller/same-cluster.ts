/** A member as its cluster is told from others. */
export interface Claimant {
  readonly name: string;
  /** Server and CA of its kubeconfig, which the hub knows and the member cannot change; undefined where not told. */
  readonly server: string | undefined;
  readonly ca: string | undefined;
  /** Uid of its namespace kube-system, as it says; undefined where it was not read. */
  readonly identity: string | undefined;
  /** The uid that it had when it last counted, as the hub has kept it. */
  readonly established: string | undefined;
  /** The uid that the set expects of it. */
  readonly pinned: string | undefined;
  /** Said its uid after others had said theirs: it joined later, or said another one before. */
  readonly isLate: boolean;
}

export interface Refusals {
  /** Why a member is not of the set, by name. */
  readonly refused: ReadonlyMap<string, string>;
  /** Members that say of themselves what only one of them can be; who lies is not known. */
  readonly doubtful: ReadonlyMap<string, string>;
}

/**
 * Two names of one cluster would import what they export: one of them counts for nothing. A uid is what a member says
 * of itself, and it may say another's: so of two which say the same the one stays that had it before, also while it cannot
 * be read; of two that are new the later one goes, and neither where both said it from the start from servers that the hub
 * can tell apart.
 *
 * @param members in the order in which they are named
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

/** One that was not read is what it was. */
const claimOf = ({ identity, established }: Claimant) => identity ?? established;

/**
 * Those whose uid the set gives come first, then those that have had theirs before, then those that said it from the start, at
 * last those that joined later or had another.
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

/** By what the hub knows: one CA speaks for one cluster's API servers, whatever their addresses. */
const isKnownDouble = (a: Claimant, b: Claimant) =>
  a.server === undefined ||
  b.server === undefined ||
  isSameServer(a, b) ||
  (a.ca !== undefined && a.ca === b.ca);
