import { ServiceRollout } from "../spec/service-rollout.ts";
import { firstTokenBin, noResponses, type ResponseCounts } from "./endpoint-responses.ts";

/** A gate with the default limits. */
export const defaultGate = ServiceRollout.parse({ gate: {} }).gate as NonNullable<
  ReturnType<typeof ServiceRollout.parse>["gate"]
>;

/** Returns the counts of one client's responses, or of clients in several groups, spread evenly. */
export function counts(
  responses: number,
  errors: number,
  { seconds, groups = 1, first = 0 }: { seconds?: number; groups?: number; first?: number } = {},
): ResponseCounts {
  const firstTokens = [...noResponses.firstTokens];
  if (seconds !== undefined) firstTokens[firstTokenBin(seconds)] = responses;
  const spread = (count: number) =>
    noResponses.clientResponses.map((_, at) => {
      const share = at < first || at >= first + groups ? 0 : Math.floor(count / groups);
      return share + Number(at >= first && at - first < count % groups);
    });
  return {
    ...{ requests: responses, responses, errors, firstTokens },
    clientResponses: spread(responses),
    clientErrors: spread(errors),
  };
}
