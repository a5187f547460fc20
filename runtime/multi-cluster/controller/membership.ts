import { isDeepStrictEqual } from "node:util";
import type { Log } from "../../manager/log.ts";
import type { MultiClusterController } from "./controller.ts";
import type { MemberLimits } from "./member-limits.ts";
import type { MemberPlace } from "./member-list.ts";
import { RotatingClient } from "./rotating-client.ts";

export interface MembershipOptions {
  readonly controller: Pick<MultiClusterController, "join" | "leave" | "allow">;
  /** The members as they are named now. Throws where that cannot be read. */
  readonly read: () => readonly MemberPlace[];
  /** What is taken of each member. */
  readonly limits: MemberLimits;
  readonly log: Log;
  /** Milliseconds between two looks. Default 2,000. */
  readonly intervalMs?: number;
}

interface Joined {
  readonly place: MemberPlace;
  readonly client: RotatingClient;
}

/**
 * Keeps the set to the members that are named: those that come join, those that go leave, and of those that stay the
 * credentials are read again when they change. Files are looked at every other second: what a kubelet mounts is
 * replaced by links, of which a watch of the file hears nothing.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #joined = new Map<string, Joined>();
  readonly #leaving = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Joins the members that are named. Throws where one's credentials cannot be read. */
  start(): void {
    for (const place of this.#options.read()) this.#join(place);
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
    let places: readonly MemberPlace[];
    try {
      places = read();
    } catch (error) {
      log.error("members not read; they stay as they are", error);
      return;
    }
    for (const [name, { place }] of this.#joined) {
      const named = places.find((each) => each.name === name);
      if (named === undefined || !samePlace(named, place)) this.#leave(name);
    }
    for (const place of places) {
      if (this.#leaving.has(place.name)) continue;
      try {
        const joined = this.#joined.get(place.name);
        if (joined === undefined) this.#join(place);
        else {
          if (!isDeepStrictEqual(joined.place.policy, place.policy)) this.#allow(place);
          if (joined.client.refresh()) log.info("credentials changed", { member: place.name });
        }
      } catch (error) {
        log.error("credentials not read", error, { member: place.name });
      }
    }
  }

  #join(place: MemberPlace): void {
    const { name, kubeconfig, context, policy } = place;
    const { limits } = this.#options;
    const client = new RotatingClient({ file: kubeconfig, context }, limits.answers);
    this.#joined.set(name, { place, client });
    this.#options.controller.join({ name, client, server: client.server, policy, limits });
  }

  #allow(place: MemberPlace): void {
    const { name, policy } = place;
    const client = this.#joined.get(name)?.client;
    if (client === undefined) return;
    this.#joined.set(name, { place, client });
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

const samePlace = (a: MemberPlace, b: MemberPlace) =>
  a.kubeconfig === b.kubeconfig && a.context === b.context;
