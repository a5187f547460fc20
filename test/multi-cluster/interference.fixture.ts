import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { MemberClient, TestControllerOptions } from "./cluster-set.fixture.ts";

/** Faults injected between a controller and its members. */

type Between = NonNullable<TestControllerOptions["between"]>;

const isWrite = (method: string) => method !== "GET";

/**
 * The controller dies at its last of `writes` writes: that write is done, its answer never arrives, and no other is
 * sent.
 */
export function dyingAfter(writes: number): { readonly between: Between; isDead(): boolean } {
  let left = writes;
  return {
    isDead: () => left <= 0,
    between: (client) => ({
      watch: client.watch,
      request: async (method, path, options) => {
        if (!isWrite(method)) return client.request(method, path, options);
        left -= 1;
        if (left < 0) throw new Error("the controller is dead");
        const answer = await client.request<never>(method, path, options);
        if (left <= 0) throw new Error("the controller is dead");
        return answer;
      },
    }),
  };
}

/** Refuses writes of a member as an API server does that cannot take them, until it relents. */
export function refusing(
  member: string,
  status: number,
): { readonly between: Between; refused(): number; relent(): void } {
  let refused = 0;
  let relented = false;
  return {
    refused: () => refused,
    relent: () => {
      relented = true;
    },
    between: (client, name) =>
      name !== member
        ? client
        : {
            watch: client.watch,
            request: async (method, path, options) => {
              if (relented || !isWrite(method)) return client.request(method, path, options);
              refused += 1;
              const refusal = { status, reason: "", message: "scripted", retryAfterMs: undefined };
              throw new ApiError(`${method} ${path}`, refusal);
            },
          },
  };
}

/** A client of a member that can be switched to another member. */
export function switchable(first: MemberClient): MemberClient & { to(other: MemberClient): void } {
  let target = first;
  return {
    request: (...args) => target.request(...args),
    watch: (...args) => target.watch(...args),
    to: (other) => {
      target = other;
    },
  };
}
