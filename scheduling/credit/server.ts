import type { LiveState } from "../endpoint.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import type { ServerModel } from "../server-model/server-models.ts";
import type { StagedServer } from "./places-beyond.ts";

/** An endpoint with what stays of it from one look to the next. */
export interface Server extends StagedServer {
  readonly model: ServerModel;
  /** Prompts of requests are computed there. */
  readonly computesPrompts: boolean;
}

/**
 * Milliseconds after which a server is lost whose metrics were read and are not any more, and that answers nobody: it may hang,
 * and what it gets stays with it. Until then nothing speaks against it but what was sent there.
 */
export const lostAfter = 2_000;

export const isLost = (
  { endpoint: { live } }: Server,
  health: Pick<ServerHealth, "answeredAt">,
  now: number,
): boolean =>
  live.metrics !== undefined &&
  now - Math.max(live.metrics.at, health.answeredAt(live)) > lostAfter;

/** The limit that a server reports; else the one that was learnt. */
export const slotsOf = ({ live, slots }: ServerModel): number =>
  live.metrics?.maxRunningRequests ?? slots.count;

/**
 * Slots of a server that one of so many pickers may use: its part; and half of what others leave of theirs, for they may come
 * for it before its use is seen.
 */
export function ownPart({ reading }: LiveState, slots: number, pickers: number): number {
  if (pickers === 1) return slots;
  const part = Math.ceil(slots / pickers);
  if (reading === undefined) return part;
  return part + Math.floor(Math.max(0, slots - part - reading.others) / 2);
}
