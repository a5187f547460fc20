import fc from "fast-check";
import { expect, it } from "vitest";
import { desired } from "./desired.ts";
import { exportersOf } from "./exporters.ts";
import {
  type EndState,
  type ExpectedEntry,
  type ExpectedImport,
  endState,
} from "./oracle.fixture.ts";
import { isUnread, type MemberView, type MultiClusterOptions, type NameView } from "./view.ts";
import {
  afterWrite,
  anyOptions,
  anyView,
  controllerName,
  foreignConditions,
  now,
} from "./world.fixture.ts";
import type { Write } from "./writes.ts";

/** Any cluster set reaches its desired state in any order of writes, and stays there. */

interface Run {
  readonly end: NameView;
  readonly endedAt: number;
  readonly done: ReadonlyArray<{
    readonly member: string;
    readonly write: Write;
    readonly at: number;
  }>;
}

const isImportWrite = ({ kind }: Write) => kind.endsWith("-import") || kind.endsWith("-detail");

/** Does one write after another and plans again after each, like a controller that is killed after every write. */
function run(start: NameView, options: MultiClusterOptions, choices: readonly number[]): Run {
  let view = start;
  let at = now;
  const later = (to: number) => {
    view = silentFor(view, to - at);
    at = to;
  };
  const done: Run["done"][number][] = [];
  for (let step = 0; ; step += 1) {
    expect(step).toBeLessThan(60);
    const { writes, again } = desired(view, options, at);
    const possible = [...writes].flatMap(([member, each]) =>
      each
        .filter((write) => !(isImportWrite(write) && failureOf(view, member)))
        .map((write) => ({ member, write, at })),
    );
    if (possible.length === 0) {
      if (again === undefined) return { end: view, endedAt: at, done };
      expect(again).toBeGreaterThan(at);
      later(again);
      continue;
    }
    const choice = possible[(choices[step % choices.length] ?? 0) % possible.length];
    if (choice === undefined) throw new Error("no choice");
    done.push(choice);
    view = {
      ...view,
      members: view.members.map((member) =>
        member.name === choice.member ? afterWrite(member, choice.write) : member,
      ),
    };
    later(at + 1_000);
  }
}

/** Returns the view after the silent members have been silent for longer. */
const silentFor = (view: NameView, milliseconds: number): NameView => ({
  ...view,
  members: view.members.map((member) =>
    member.silenceMs === undefined
      ? member
      : { ...member, silenceMs: member.silenceMs + milliseconds },
  ),
});

const failureOf = (view: NameView, name: string) =>
  view.members.find((member) => member.name === name)?.failure !== undefined;

function describeImport(
  before: MemberView,
  { import: it }: MemberView,
  wanted: ExpectedImport,
): ExpectedImport {
  if (wanted === "untouched") {
    expect(it).toEqual(before.import);
    return "untouched";
  }
  if (it === undefined) return "none";
  const ready = it.entry?.conditions.find(({ type }) => type === "Ready")?.status;
  return {
    ours: it.ours,
    exporters: it.entry?.exporters,
    ...(ready !== undefined && it.entry !== undefined && { ready }),
  };
}

function describeEntry(
  before: MemberView,
  { pool }: MemberView,
  wanted: ExpectedEntry,
): ExpectedEntry {
  if (wanted === "untouched") {
    expect(pool?.parents).toEqual(before.pool?.parents);
    return "untouched";
  }
  const own = pool?.parents.filter((parent) => parent.controllerName === controllerName) ?? [];
  expect(own.length).toBeLessThan(2);
  const [entry] = own;
  if (entry === undefined) return "none";
  const exported = entry.conditions?.find(({ type }) => type === "Exported");
  expect(exported?.status).toBe(exported?.reason === "Exported" ? "True" : "False");
  return {
    exported: exported?.reason ?? "",
    conflict: entry.conditions?.some(({ type }) => type === "Conflict") ?? false,
  };
}

const choices = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 12 });

it("a cluster set reaches its desired state in any order of writes", () => {
  fc.assert(
    fc.property(anyView, anyOptions, choices, (view, options, order) => {
      const { end, endedAt } = run(view, options, order);
      const wanted = endState(silentFor(view, endedAt - now), options);
      const found: EndState = { imports: {}, pools: {} };
      for (const [at, before] of view.members.entries()) {
        const after = end.members[at] as MemberView;
        const { name } = before;
        found.imports[name] = describeImport(before, after, wanted.imports[name] ?? "untouched");
        found.pools[name] = describeEntry(before, after, wanted.pools[name] ?? "untouched");
        // Entries of other controllers stay, in their order.
        const others = (member: MemberView) =>
          member.pool?.parents.filter((parent) => parent.controllerName !== controllerName);
        expect(others(after)).toEqual(others(before));
        if (after.import !== undefined && before.import !== undefined) {
          expect(after.import.others).toEqual(before.import.others);
          expect(foreignConditions(after.import)).toEqual(foreignConditions(before.import));
        }
        if (before.contact !== "current")
          expect({ ...after, silenceMs: before.silenceMs }).toEqual(before);
      }
      expect(found).toEqual(wanted);
      // Nothing is left to write later, also for a controller that starts in this state.
      const rest = [...desired(end, options, endedAt + 3_600_000).writes].flatMap(
        ([name, writes]) =>
          failureOf(end, name) ? writes.filter((write) => !isImportWrite(write)) : writes,
      );
      expect(rest.flat()).toEqual([]);
    }),
  );
});

it("the exports of a silent cluster are withdrawn when it is stale, even if nothing else changes", () => {
  fc.assert(
    fc.property(anyView, anyOptions, (view, options) => {
      const silent = exportersOf(view, options).filter(({ name }) =>
        view.members.some((member) => member.name === name && member.silenceMs !== undefined),
      );
      const { again = Number.POSITIVE_INFINITY } = desired(view, options, now);
      if (options.staleAfterMs === 0 || silent.length === 0) return;
      expect(again).toBeLessThanOrEqual(now + options.staleAfterMs);
      const gone = exportersOf(silentFor(view, again - now), options).map(({ name }) => name);
      // A drain may end first.
      if (again - now <= options.drainMs) return;
      expect(silent.some(({ name }) => !gone.includes(name))).toBe(true);
    }),
  );
});

it("the details of an import list the same clusters as its entry", () => {
  fc.assert(
    fc.property(anyView, anyOptions, choices, (view, options, order) => {
      const { end } = run(view, options, order);
      for (const [at, member] of end.members.entries()) {
        const { import: it } = member;
        const isOurs = member.contact === "current" && member.failure === undefined;
        if (!isOurs || it?.entry === undefined || it.deleting || member.namespace !== "active")
          continue;
        if (member.role === "leaving") continue;
        const isInStatus = member.imports === "superset" && it.ours;
        if (member.imports === "superset" && !it.ours && view.members[at]?.import?.ours) continue;
        const clusters = isInStatus
          ? it.clusters
          : it.detail?.ours
            ? it.detail.clusters
            : undefined;
        if (it.detail?.ours === false && !isInStatus) continue;
        const told = clusters?.map(({ name }) => name);
        const unknown = new Set(view.members.filter(isUnread).map(({ name }) => name));
        expect(told?.filter((name) => !unknown.has(name))).toEqual(
          it.entry.exporters.filter((name) => !unknown.has(name)),
        );
        if (isInStatus && it.detail?.ours) expect.unreachable("an annotation beside the status");
      }
    }),
  );
});

it("an import is marked as withdrawn before its deletion, for the whole drain time", () => {
  fc.assert(
    fc.property(anyView, anyOptions, choices, (view, options, order) => {
      const { done } = run(view, options, order);
      for (const { member, write, at } of done) {
        if (write.kind !== "delete-import" || options.drainMs === 0) continue;
        const before = view.members.find(({ name }) => name === member);
        const told = done.find(
          (each) =>
            each.member === member &&
            each.write.kind === "apply-import" &&
            each.write.status.controllers[0]?.exportingClusters?.length === 0,
        );
        // An import without an entry has nothing to drain, and one that was withdrawn an hour ago has drained.
        const toldBefore = before?.import?.entry?.conditions.some(
          ({ reason }) => reason === "ExportWithdrawn",
        );
        if (before?.import?.entry === undefined || (toldBefore && told === undefined)) continue;
        expect(at - (told?.at ?? at)).toBeGreaterThanOrEqual(options.drainMs);
      }
    }),
  );
});
