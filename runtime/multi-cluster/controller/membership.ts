import { isDeepStrictEqual } from "node:util";
import type { Log } from "../../manager/log.ts";
import type { MultiClusterController } from "./controller.ts";
import type { MemberLimits } from "./member-limits.ts";
import type { MemberLocation } from "./member-list.ts";
import { RotatingClient } from "./rotating-client.ts";

export interface MembershipOptions {
  readonly controller: Pick<MultiClusterController, "join" | "leave" | "allow">;
  /** Returns the current list of members. Throws if it cannot be read. */
  readonly read: () => readonly MemberLocation[];
  /** Limits on the data read from each member. */
  readonly limits: MemberLimits;
  readonly log: Log;
  /** Poll interval in ms. Default 2,000. */
  readonly intervalMs?: number;
}

interface Joined {
  readonly location: MemberLocation;
  readonly client: RotatingClient;
}

/**
 * Keeps the set in line with the list of members: new members join, removed members leave, and changed credentials are
 * read again. The files are polled, because a kubelet replaces mounted files by symbolic links, which a watch of the
 * file does not report.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #joined = new Map<string, Joined>();
  readonly #leaving = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Joins the listed members. Throws if the credentials of a new member cannot be read. */
  start(): void {
    for (const location of this.#options.read()) this.#join(location);
    this.#timer = setInterval(() => this.#refresh(), this.#options.intervalMs ?? 2_000);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#leaving.values());
    for (const { client } of this.#joined.values()) client.close();
  }

  #refresh(): void {
    const { log, read } = this.#options;
    let locations: readonly MemberLocation[];
    try {
      locations = read();
    } catch (error) {
      log.error("members not read; they stay as they are", error);
      return;
    }
    for (const [name, { location }] of this.#joined) {
      const named = locations.find((each) => each.name === name);
      if (named === undefined || !sameLocation(named, location)) this.#leave(name);
    }
    for (const location of locations) {
      if (this.#leaving.has(location.name)) continue;
      try {
        const joined = this.#joined.get(location.name);
        if (joined === undefined) this.#join(location);
        else {
          if (!isDeepStrictEqual(joined.location.policy, location.policy)) this.#allow(location);
          if (joined.client.refresh()) log.info("credentials changed", { member: location.name });
        }
      } catch (error) {
        log.error("credentials not read", error, { member: location.name });
      }
    }
  }

  #join(location: MemberLocation): void {
    const { name, kubeconfig, context, policy } = location;
    const { limits } = this.#options;
    const client = new RotatingClient({ file: kubeconfig, context }, limits.answers);
    this.#joined.set(name, { location, client });
    this.#options.controller.join({ name, client, server: client.server, policy, limits });
  }

  #allow(location: MemberLocation): void {
    const { name, policy } = location;
    const client = this.#joined.get(name)?.client;
    if (client === undefined) return;
    this.#joined.set(name, { location, client });
    this.#options.controller.allow(name, policy);
    this.#options.log.info("what the member may do changed", { member: name });
  }

  #leave(name: string): void {
    const joined = this.#joined.get(name);
    this.#joined.delete(name);
    const left = this.#options.controller.leave(name).then(() => {
      joined?.client.close();
      this.#leaving.delete(name);
    });
    this.#leaving.set(name, left);
  }
}

const sameLocation = (a: MemberLocation, b: MemberLocation) =>
  a.kubeconfig === b.kubeconfig && a.context === b.context;
