import { createHash } from "node:crypto";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import { pageAudience } from "../../../sdk/topology/names.ts";
import { limits } from "../../limits.ts";

/** Creates an object of the API server's review kinds, and answers what it says. */
export interface ReviewApi {
  /** @param path of the kind, for example `/apis/authentication.k8s.io/v1/tokenreviews` */
  create(path: string, object: object): Promise<unknown>;
}

/** What the API server thinks of a reader. */
export type Access = "allowed" | "unauthenticated" | "forbidden" | "busy";

export interface AccessReview {
  /**
   * @param token of the header `Authorization: Bearer ...`; undefined where there is none
   * @param from address of who sent it
   */
  review(token: string | undefined, path: string, from: string): Promise<Access>;
}

/** How long an answer is believed, in milliseconds. */
const allowedForMs = 60_000;
const refusedForMs = 10_000;
const maxRemembered = 1_000;

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}
interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Asks the API server who a token is (TokenReview) and whether they may `get` a non-resource path
 * (SubjectAccessReview). Answers are remembered for a minute, refusals for ten seconds. A token may be one for the API
 * server, as scrapers have it, or one for these pages alone.
 *
 * @param now milliseconds of any clock
 */
export function accessReview(api: ReviewApi, now: () => number): AccessReview {
  // Apart, so that no number of refusals has a good token forgotten.
  const good = new Map<string, Remembered>();
  const bad = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Access>>();
  const unknown = newAllowance(now);
  const review = async (key: string, token: string, path: string) => {
    const access = await ask(api, token, path);
    if (access === "allowed") remember(good, key, { access, until: now() + allowedForMs });
    else {
      good.delete(key);
      remember(bad, key, { access, until: now() + refusedForMs });
    }
    return access;
  };
  return {
    async review(token, path, from) {
      if (token === undefined) return "unauthenticated";
      const key = `${createHash("sha256").update(token).digest("base64")} ${path}`;
      const known = good.get(key) ?? bad.get(key);
      if (known !== undefined && now() < known.until) return known.access;
      const asked = asking.get(key);
      if (asked !== undefined) return asked;
      if (!good.has(key) && !(asking.size < limits.tokenReviewsAtOnce.value && unknown(from)))
        return "busy";
      const answer = review(key, token, path).finally(() => asking.delete(key));
      asking.set(key, answer);
      return answer;
    },
  };
}

interface Remembered {
  readonly access: Access;
  readonly until: number;
}

/** In place of the oldest. */
function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > maxRemembered && oldest !== undefined) memory.delete(oldest);
}

/** Whether an address may have one more token checked: so many at once, and then one a second. */
function newAllowance(now: () => number): (from: string) => boolean {
  const most = limits.tokenReviews.value;
  const addresses = new Map<string, { left: number; at: number }>();
  return (from) => {
    const time = now();
    const { left, at } = addresses.get(from) ?? { left: most, at: time };
    const allowed = Math.min(most, left + (time - at) / 1_000);
    remember(addresses, from, { left: Math.max(0, allowed - 1), at: time });
    return allowed >= 1;
  };
}

async function ask(api: ReviewApi, token: string, path: string): Promise<Access> {
  const audiences = isForPages(token) ? [pageAudience] : undefined;
  const { status: who } = (await api.create(collectionPath(unplanned.TokenReview), {
    apiVersion: unplanned.TokenReview.apiVersion,
    kind: unplanned.TokenReview.kind,
    spec: { token, ...(audiences && { audiences }) },
  })) as TokenReview;
  if (!who?.authenticated) return "unauthenticated";
  // An authenticator that knows of no audiences answers without any (TokenReviewStatus, `audiences`).
  if (audiences && !who.audiences?.includes(pageAudience)) return "unauthenticated";
  const { username: user, uid, groups, extra } = who.user ?? {};
  const { status } = (await api.create(collectionPath(unplanned.SubjectAccessReview), {
    apiVersion: unplanned.SubjectAccessReview.apiVersion,
    kind: unplanned.SubjectAccessReview.kind,
    spec: { user, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } },
  })) as SubjectAccessReview;
  return status?.allowed ? "allowed" : "forbidden";
}

/** Whether a token says that it is for these pages. It is the API server that says whether that is true. */
function isForPages(token: string): boolean {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return [aud].flat().includes(pageAudience);
  } catch {
    return false;
  }
}
