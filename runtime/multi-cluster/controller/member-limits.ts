import type { AnswerLimits } from "../../../kubernetes/api/answer-limits.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import { duration } from "../../manager/flags/duration.ts";
import { type FlagType, integer } from "../../manager/flags/flag-type.ts";
import type { Kind } from "./kinds.ts";

/** Limits on the data read from a member, so that one member cannot fill the memory of the controller. */
export interface MemberLimits {
  /** Limits on each response of the member's API server. */
  readonly answers: AnswerLimits;
  /** Maximum number of objects by kind. Default for other kinds: the limit in `answers`. */
  readonly objects: Partial<Record<Kind, number>>;
  /** Maximum size of the kept data of an object, in characters of JSON. A larger object counts as absent. */
  readonly objectCharacters: number;
}

const count = integer(1, 1_000_000);

/** Creates the flag of a limit, with the name, default and description of the limit. */
const flagOf = <T extends number>(
  limit: { readonly flag: `--${string}`; readonly value: T; readonly of: string },
  type: FlagType<number>,
) => ({
  name: limit.flag.slice(2),
  summary: `${limit.of}.`,
  type,
  default: limit.value as number,
});

export const memberLimitFlags = {
  memberAnswer: flagOf(limits.memberAnswer, byteSize),
  memberEvent: flagOf(limits.memberEvent, byteSize),
  memberPages: flagOf(limits.memberPages, count),
  memberListTime: flagOf(limits.memberListTime, duration),
  memberPools: flagOf(limits.memberPools, count),
  memberRoutes: flagOf(limits.memberRoutes, count),
  memberGateways: flagOf(limits.memberGateways, count),
  memberObjects: flagOf(limits.memberObjects, count),
  memberObject: flagOf(limits.memberObject, byteSize),
};

/** Creates the limits from the values of the flags. */
export const memberLimitsOf = (
  flags: Readonly<Record<keyof typeof memberLimitFlags, number>>,
): MemberLimits => ({
  answers: {
    answerBytes: flags.memberAnswer,
    eventBytes: flags.memberEvent,
    objects: Math.max(flags.memberObjects, flags.memberPools),
    pages: flags.memberPages,
    listMs: flags.memberListTime,
    pageSize: 100,
  },
  objects: {
    pools: flags.memberPools,
    imports: flags.memberPools,
    routes: flags.memberRoutes,
    gateways: flags.memberGateways,
    services: flags.memberObjects,
    endpointSlices: flags.memberObjects,
    namespaces: flags.memberObjects,
  },
  objectCharacters: flags.memberObject,
});

export const defaultMemberLimits = memberLimitsOf({
  memberAnswer: limits.memberAnswer.value,
  memberEvent: limits.memberEvent.value,
  memberPages: limits.memberPages.value,
  memberListTime: limits.memberListTime.value,
  memberPools: limits.memberPools.value,
  memberRoutes: limits.memberRoutes.value,
  memberGateways: limits.memberGateways.value,
  memberObjects: limits.memberObjects.value,
  memberObject: limits.memberObject.value,
});
